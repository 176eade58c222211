import { inChunks } from '../store/query.ts';
import type { ChangedHandles, Db } from '../store/store.ts';
import { createDocuments, type FoundDocument } from './document.ts';
import { toPosition } from './query.ts';
import type { EngineIndex, SearchIndex } from './search-index.ts';

/** 16 MB, of about 150,000 documents; the array may have room for twice as many. The search after it was exceeded drops all. */
const mostNumbers = 4_000_000;
/** A write that changes more listings than this drops all documents. */
const manyListings = 500;
/** Documents that are read at once: a millisecond or two, in which nothing else is answered. */
const readAtOnce = 500;

let turn = Promise.resolve();

/** Waits for the next turn of the event loop; of all searches that wait, one goes on in each turn. */
export function nextTurn(): Promise<void> {
  turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turn;
}

function* piecesOf(positions: readonly number[]) {
  for (let at = 0; at < positions.length; at += readAtOnce) yield positions.slice(at, at + readAtOnce);
}

/** For reads inside a transaction or of one moment: documents as they are there. */
export const createUncachedSearch = (index: EngineIndex): SearchIndex => ({
  ...index,
  async readDocuments(db, positions) {
    const documents = createDocuments();
    const found: FoundDocument[] = [];
    for (const some of piecesOf(positions))
      for (const { position, text } of await index.readTexts(db, some))
        found.push({ position, start: documents.add(text) });
    return { documents, found };
  },
});

/** Where each document begins, by its position. */
const createMemory = () => ({ documents: createDocuments(), starts: new Map<number, number>() });

/**
 * The index with the search documents of `reader` in memory, each until its listing changes, as `change` says: of
 * `reader`, because a replica may not have a change yet when this process hears of it.
 */
export function createCachedSearch(index: EngineIndex, reader: Db) {
  let memory = createMemory();
  let changed = new Set<string>();
  let dropping = Promise.resolve();
  let epoch = 0;

  /** Forgets the documents of the listings that have changed; all of them if that fails. */
  async function dropChanged(): Promise<void> {
    const [{ starts }, handles] = [memory, [...changed]];
    changed = new Set();
    const drop = async (some: readonly string[]) => {
      const rows = reader.selectFrom('listing').select('id').where('handle', 'in', some);
      for (const { id } of await rows.execute()) starts.delete(toPosition(id));
    };
    await inChunks(handles, drop).catch(() => {
      memory = createMemory();
    });
  }

  const search: SearchIndex = {
    ...index,
    async readDocuments(_, positions) {
      if (changed.size > 0) dropping = dropping.then(dropChanged);
      await dropping;
      if (memory.documents.size() > mostNumbers) memory = createMemory();
      const { documents, starts } = memory;
      const found: FoundDocument[] = [];
      const missing: number[] = [];
      for (const position of positions) {
        const start = starts.get(position);
        if (start === undefined) missing.push(position);
        else found.push({ position, start });
      }
      for (const some of piecesOf(missing)) {
        await nextTurn();
        const begunIn = epoch;
        for (const { position, text } of await index.readTexts(reader, some)) {
          const start = documents.add(text);
          found.push({ position, start });
          // What was read before a write ended may be older than it.
          if (begunIn === epoch) starts.set(position, start);
        }
      }
      return { documents, found };
    },
  };
  return {
    search,
    change(handles: ChangedHandles) {
      epoch += 1;
      if (handles !== 'all' && handles.length + changed.size <= manyListings)
        for (const handle of handles) changed.add(handle);
      else {
        memory = createMemory();
        changed = new Set();
      }
    },
  };
}
