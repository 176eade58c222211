import { countEdits } from '../core/edits.ts';
import { handleParts } from '../core/handle.ts';
import { ownerLabel } from '../search/facets.ts';
import { rankFew } from '../search/gather.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { stopWords, toWords } from '../search/words.ts';
import { afterPrefix } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import { readByIds } from './table.ts';

const mostEdits = 2;
/** Of a shorter name two letters are too much of it. */
const shortName = 5;
const mostAlike = 200;
const mostNamed = 50;
/** Of a name with more words the first ones are looked for. */
const mostWords = 5;

const selectVisible = (db: Db) => db.selectFrom('listing').select('handle').where('withdrawn', 'is', null);

/** Visible handles that are the same but for their case, or those of a repository `owner/name` of GitHub. */
const readSame = (db: Db, folded: string) =>
  selectVisible(db)
    .where('handle_folded', 'in', [folded, `io.github.${folded}`])
    .execute();

/** Visible handles that start alike, in any case. */
const readAlike = (db: Db, start: string) =>
  selectVisible(db)
    .where('handle_folded', '>=', start)
    .where('handle_folded', '<', afterPrefix(start))
    .orderBy('handle_folded')
    .limit(mostAlike)
    .execute();

/** Words that hundreds of names have. */
const saysNothing: ReadonlySet<string> = new Set(['mcp', 'server', 'api', ...stopWords]);

/** Visible listings with words of a name, or with other spellings of them; `isAll` of one that has all. */
async function readNamed(db: Db, index: SearchIndex, name: string) {
  const words = [...new Set(toWords(name).map(({ text }) => text))].filter((word) => !saysNothing.has(word));
  if (words.length === 0) return [];
  const { hits, counted } = await rankFew(db, index, words.slice(0, mostWords).join(' '), mostNamed);
  const complete = new Set(
    hits.filter(({ matched }) => words.length <= mostWords && matched >= counted).map(({ id }) => id),
  );
  const rows = await readByIds(
    db,
    hits.map(({ id }) => id),
  );
  return rows.map(({ id, handle }) => ({ handle, isAll: complete.has(id) }));
}

/** Edits between a name and that of a handle; one too many if the name says nothing, or is short. */
function countNameEdits(name: string, other: string): number {
  const isTelling = toWords(name).some(({ text }) => !saysNothing.has(text));
  const most = !isTelling ? -1 : name.length < shortName ? 1 : mostEdits;
  const edits = countEdits(name, other, mostEdits);
  return edits <= most ? edits : mostEdits + 1;
}

/**
 * Reads visible handles like a text: those within two edits of it, or of its name, those of the same namespace first, and
 * others, of the namespace, then those with all words of the name.
 */
export async function readNear(db: Db, index: SearchIndex, text: string, limit: number) {
  const folded = text.trim().toLowerCase();
  const { namespace, name } = folded.includes('/') ? handleParts(folded) : { namespace: '', name: folded };
  const ofNamespace = namespace
    ? [
        ...(await readSame(db, folded)),
        ...(await readAlike(db, `${namespace}/${name.slice(0, 1)}`)),
        ...(await readAlike(db, `${namespace}/`)),
      ]
    : [];
  const named = await readNamed(db, index, name);
  const candidates = [...new Set([...ofNamespace, ...named].map(({ handle }) => handle))].map((handle) => {
    const own = handle.toLowerCase();
    const parts = handleParts(own);
    const isSame = own === folded || own === `io.github.${folded}`;
    const toOwner = namespace ? mostEdits + 1 : countNameEdits(name, ownerLabel(own));
    const edits = isSame
      ? -1
      : Math.min(countEdits(folded, own, mostEdits), countNameEdits(name, parts.name), toOwner);
    return { handle, edits, isOfNamespace: parts.namespace === namespace };
  });
  const near = candidates
    .filter(({ edits }) => edits <= mostEdits)
    .sort(
      (a, b) =>
        Number(b.edits < 0) - Number(a.edits < 0) ||
        Number(b.isOfNamespace) - Number(a.isOfNamespace) ||
        a.edits - b.edits ||
        (a.handle < b.handle ? -1 : 1),
    )
    .map(({ handle }) => handle);
  const complete = new Set(named.filter(({ isAll }) => isAll).map(({ handle }) => handle));
  const others = candidates
    .filter(
      ({ handle, edits, isOfNamespace }) => edits > mostEdits && (isOfNamespace || complete.has(handle)),
    )
    .sort((a, b) => Number(b.isOfNamespace) - Number(a.isOfNamespace))
    .map(({ handle }) => handle);
  return { near: near.slice(0, limit), others: others.slice(0, limit) };
}
