import { createEpoch } from '../core/epoch.ts';
import { nextTurn } from '../core/turns.ts';
import { inChunks } from '../store/query.ts';
import { createDocuments, type FoundDocuments } from './document.ts';
import { toPosition } from './query.ts';
import type { Db } from './schema.ts';
import type { EngineIndex, SearchIndex } from './search-index.ts';

/** 16 MB; above, the next search drops all. */
const mostNumbers = 4_000_000;
/** After more changes, all are dropped. */
const manyListings = 500;
const readAtOnce = 500;

function* piecesOf(positions: readonly number[]) {
  for (let at = 0; at < positions.length; at += readAtOnce) yield positions.slice(at, at + readAtOnce);
}

/** For transactions and snapshots. */
export const createUncachedSearch = (index: EngineIndex): SearchIndex => ({
  ...index,
  async readDocuments(db, positions) {
    const found: FoundDocuments = { documents: createDocuments(), positions: [], starts: [] };
    for (const some of piecesOf(positions))
      for (const { position, text } of await index.readTexts(db, some)) {
        found.positions.push(position);
        found.starts.push(found.documents.add(text));
      }
    return found;
  },
});

const firstSlots = 2 ** 12;
const isFree = -1;
const isNowhere = -1;

/** Open addressing, because a Map is much slower for thousands of positions. */
function createStarts() {
  let positions = new Float64Array(firstSlots).fill(isFree);
  let starts = new Int32Array(firstSlots);
  let used = 0;
  const slotOf = (position: number): number => {
    const last = positions.length - 1;
    let slot = Math.imul(position | 0, 0x9e3779b1) >>> Math.clz32(last);
    while (positions[slot] !== isFree && positions[slot] !== position) slot = (slot + 1) & last;
    return slot;
  };
  const put = (position: number, start: number) => {
    const slot = slotOf(position);
    if (positions[slot] === isFree) used += 1;
    positions[slot] = position;
    starts[slot] = start;
  };
  const grow = () => {
    const before = positions;
    const startsBefore = starts;
    positions = new Float64Array(2 * before.length).fill(isFree);
    starts = new Int32Array(2 * before.length);
    used = 0;
    for (const [at, position] of before.entries())
      if (position !== isFree) put(position, startsBefore[at] ?? isNowhere);
  };
  return {
    /** Negative if there is none. */
    get(position: number): number {
      const slot = slotOf(position);
      return positions[slot] === position ? (starts[slot] ?? isNowhere) : isNowhere;
    },
    set(position: number, start: number) {
      put(position, start);
      if (2 * used > positions.length) grow();
    },
    delete(position: number): boolean {
      const slot = slotOf(position);
      if (positions[slot] !== position || starts[slot] === isNowhere) return false;
      starts[slot] = isNowhere;
      return true;
    },
    /** With deleted ones. */
    size: () => used,
  };
}

const createMemory = () => ({ documents: createDocuments(), starts: createStarts(), changed: 0 });

/** Until `change` reports them. `reader` is no replica, which may lack a change that is reported. */
export function createCachedSearch(
  index: EngineIndex,
  reader: Db,
  idsOf: (handles: readonly string[]) => Promise<readonly number[]>,
) {
  let memory = createMemory();
  let changed = new Set<string>();
  let dropping = Promise.resolve();
  const clear = () => {
    memory = createMemory();
    changed = new Set();
  };
  const { begin, change } = createEpoch({
    drop(handles) {
      for (const handle of handles) changed.add(handle);
      if (changed.size > manyListings) clear();
    },
    clear,
    most: manyListings,
  });

  /**
   * Numbers of forgotten documents stay in memory, so all go if these are many, or if ids cannot be read.
   */
  async function dropChanged(): Promise<void> {
    const own = memory;
    const handles = [...changed];
    changed = new Set();
    const drop = async (some: readonly string[]) => {
      for (const id of await idsOf(some)) if (own.starts.delete(toPosition(id))) own.changed += 1;
    };
    const isDone = await inChunks(handles, drop).then(
      () => own.changed <= Math.max(manyListings, own.starts.size() / 2),
      () => false,
    );
    if (!isDone && memory === own) memory = createMemory();
  }

  const search: SearchIndex = {
    ...index,
    async readDocuments(_, positions) {
      if (changed.size > 0) dropping = dropping.then(dropChanged);
      await dropping;
      if (memory.documents.size() > mostNumbers) memory = createMemory();
      const { documents, starts } = memory;
      const found: FoundDocuments = { documents, positions: [], starts: [] };
      const takeKnown = (some: readonly number[]): number[] => {
        const missing: number[] = [];
        for (const position of some) {
          const start = starts.get(position);
          if (start < 0) missing.push(position);
          else {
            found.positions.push(position);
            found.starts.push(start);
          }
        }
        return missing;
      };
      for (const some of piecesOf(takeKnown(positions))) {
        await nextTurn();
        const mayStore = begin();
        // Another search may have read some.
        const missing = takeKnown(some);
        const read = missing.length > 0 ? await index.readTexts(reader, missing) : [];
        for (const { position, text } of read) {
          const start = documents.add(text);
          found.positions.push(position);
          found.starts.push(start);
          if (mayStore()) starts.set(position, start);
        }
      }
      return found;
    },
  };
  return { search, change };
}
