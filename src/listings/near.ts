import { countEdits } from '../core/difference/edits.ts';
import { handleParts, isHandle } from '../core/handle.ts';
import { namespaceIdentity } from '../core/identity.ts';
import { rankFew } from '../search/gather.ts';
import { isLabelOf, ownerLabel } from '../search/query.ts';
import type { IndexSearch, SearchedListings, SearchIndex } from '../search/search-index.ts';
import { isCorrectable, oneLetterFrom, stopWords, toWords, wordsOfAll } from '../search/words.ts';
import { afterPrefix, inChunks, precompileQuery } from '../store/query.ts';
import { readCount } from './counts.ts';
import type { ListingPackage } from './listing.ts';
import { toPackageReference, toReferenceKey } from './references/references.ts';
import { selectHolders } from './references/shared.ts';
import type { Db } from './schema.ts';
import { readByIds, visible } from './table.ts';

const selectByFolded = precompileQuery((db: Db, folded: string) =>
  visible(db)
    .select(['id', 'handle', 'namespace', 'facets'])
    .where('handle_folded', '=', folded)
    .orderBy('id'),
);

const mostWithTool = 200;

const selectByTool = precompileQuery((db: Db, key: string) =>
  selectHolders(db)
    .select(['listing.id', 'listing.handle', 'listing.namespace', 'listing.facets'])
    .where('listing_reference.key', '=', key)
    .where('listing.hidden', 'is', null)
    .limit(mostWithTool),
);

const createSearchedListings = (db: Db): SearchedListings => ({
  count: () => readCount(db, 'facet_count'),
  withFoldedHandle: (folded) => selectByFolded(db, folded),
  withTools: async (tools) =>
    (await Promise.all(tools.map((tool) => selectByTool(db, toReferenceKey('tool', tool))))).flat(),
  updates: (ids) => db.selectFrom('listing').select(['id', 'updated_at']).where('id', 'in', ids).execute(),
  // PostgreSQL has no empty list.
  handles: async (ids) =>
    ids.length === 0
      ? []
      : visible(db).select(['id', 'handle']).where('id', 'in', ids).where('hidden', 'is', null).execute(),
});

export const toSearch = (db: Db, index: SearchIndex): IndexSearch => ({
  db,
  index,
  listings: createSearchedListings(db),
});

export async function readIds(db: Db, handles: readonly string[]): Promise<number[]> {
  const rows = await db.selectFrom('listing').select('id').where('handle', 'in', handles).execute();
  return rows.map(({ id }) => id);
}

const mostEdits = 2;
/** A shorter name may differ by one letter only. */
const shortName = 5;
const mostAlike = 200;
const mostNamed = 50;
const mostWords = 5;

/** Equal but for capitals, or for `io.github.` before it. */
const readSame = (db: Db, folded: string) =>
  visible(db)
    .select('handle')
    .where('handle_folded', 'in', [folded, `io.github.${folded}`])
    .execute();

const readAlike = (db: Db, start: string) =>
  visible(db)
    .select('handle')
    .where('handle_folded', '>=', start)
    .where('handle_folded', '<', afterPrefix(start))
    .orderBy('handle_folded')
    .limit(mostAlike)
    .execute();

const readOwned = (db: Db, labels: readonly string[]) =>
  db
    .selectFrom('listing_reference')
    .select('handle')
    .where('key', 'in', [
      ...new Set(
        labels
          .flatMap((label) => [label, ...(isCorrectable(label) ? oneLetterFrom(label) : [])])
          .map((word) => toReferenceKey('word', word)),
      ),
    ])
    .where('kind', '=', 'word')
    // The order of the primary key, so that no more rows are read.
    .orderBy('key')
    .orderBy('published_at')
    .orderBy('handle')
    .limit(mostAlike)
    .execute();

const shortestPackage = 4;
const longestPackage = 40;

/** Recorded packages whose name is a letter away, in any registry, one of each listing. */
export async function readNearPackages(db: Db, name: string, limit: number) {
  if (name.length < shortestPackage || name.length > longestPackage) return [];
  const spellings = new Set(oneLetterFrom(name));
  const found: { handle: string; registry_type: string; identifier: string; isReported: boolean }[] = [];
  await inChunks([...spellings], async (some) => {
    const keys = some.map((spelling) => toReferenceKey('name', spelling));
    const rows = await selectHolders(db)
      .select(['listing.handle', 'listing.packages', 'listing.facets'])
      .where('listing_reference.key', 'in', keys)
      .where('hidden', 'is', null)
      .limit(limit)
      .execute();
    for (const { handle, packages, facets } of rows) {
      const recorded = JSON.parse(packages) as ListingPackage[];
      const isAlike = (one: ListingPackage) => spellings.has(toPackageReference(one).key);
      const alike = recorded.find(isAlike);
      const isReported = facets.split(' ').includes('told:malware');
      if (alike) found.push({ handle, ...alike, isReported });
    }
  });
  return found.slice(0, limit);
}

const saysNothing: ReadonlySet<string> = new Set(['api', ...wordsOfAll, ...stopWords]);

const tellingOf = (name: string): string[] =>
  [...new Set(toWords(name).map(({ text }) => text))].filter((word) => !saysNothing.has(word));

/** `isAll`: the listing has all words. */
async function readNamed(db: Db, index: SearchIndex, words: readonly string[]) {
  if (words.length === 0) return [];
  const text = words.slice(0, mostWords).join(' ');
  const { hits, counted } = await rankFew(toSearch(db, index), text, mostNamed);
  const all = words.length <= mostWords ? hits.filter(({ matched }) => matched >= counted) : [];
  const complete = new Set(all.map(({ id }) => id));
  const ids = hits.map(({ id }) => id);
  const rows = await readByIds(db, ids);
  return rows.map(({ id, handle }) => ({ handle, isAll: complete.has(id) }));
}

/** Above the limit without a distinguishing word, or with too many edits for the length. */
function countNameEdits(name: string, other: string): number {
  const most = tellingOf(name).length === 0 ? -1 : name.length < shortName ? 1 : mostEdits;
  const edits = countEdits(name, other, mostEdits);
  return edits <= most ? edits : mostEdits + 1;
}

function toAsked(text: string) {
  const folded = text.trim().toLowerCase();
  if (!folded.includes('/')) {
    const words = tellingOf(folded).slice(0, mostWords);
    const labels = [...new Set([words.join(''), ...words])].filter(Boolean);
    return { folded, namespace: '', name: folded, labels, words, isPlain: words.length === 1 };
  }
  const { namespace, name } = handleParts(folded);
  const identity = isHandle(`${namespace}/mcp`) ? namespaceIdentity(`${namespace}/mcp`) : '';
  const owner = tellingOf((identity.includes('/') ? identity.split('/')[1] : identity.split('.')[0]) ?? '');
  // The owner's word, as in com.notion/notion-mcp, does not distinguish a name.
  const others = tellingOf(name).filter((word) => !owner.includes(word));
  const isPlain = others.length === 0;
  const label = identity && ownerLabel(`${namespace}/mcp`);
  // As in the image mcp/sonarqube, whose publisher is another.
  const labels = tellingOf(label).length > 0 ? [label] : [];
  return { folded, namespace, name, labels, words: isPlain ? owner : others, isPlain };
}

/**
 * `edits` is the least from the handle, its name or its publisher's name; negative if only capitals or a
 * leading `io.github.` differ.
 */
function compareTo(
  handle: string,
  { folded, namespace, name, labels, words, isPlain }: ReturnType<typeof toAsked>,
) {
  const own = handle.toLowerCase();
  const parts = handleParts(own);
  const owner = ownerLabel(own);
  const edited = labels.map((label) => {
    const edits = owner ? countEdits(label, owner, 1) : mostEdits;
    return edits === 0 || (edits === 1 && isCorrectable(label)) ? edits : mostEdits;
  });
  const ofOwner = Math.min(mostEdits, ...edited);
  const isOwner = ofOwner < mostEdits;
  const isSame = own === folded || own === `io.github.${folded}`;
  const isNamed =
    (isPlain || !namespace) && labels.length > 0 && tellingOf(parts.name).join('') === words.join('');
  const edits = Math.min(
    countEdits(folded, own, mostEdits),
    countNameEdits(name, parts.name),
    namespace ? mostEdits + 1 : countNameEdits(name, owner),
    isPlain && isOwner ? ofOwner : mostEdits + 1,
    isNamed ? 0 : mostEdits + 1,
  );
  const isOfNamespace = parts.namespace === namespace;
  const isLabel = isLabelOf(own, folded);
  return { handle, edits: isSame ? -1 : edits, isOfNamespace, isOfOwner: ofOwner === 0, isLabel };
}

/**
 * `near`: handles within two edits of the text or its name, other spellings of the same handle first, then
 * those in its namespace. If the name adds nothing to the publisher's, also handles of that publisher, or
 * of one a letter away. `others`: more of that namespace or publisher, then those with all words of the
 * name.
 */
export async function readNear(db: Db, index: SearchIndex, text: string, limit: number) {
  const asked = toAsked(text);
  const { folded, namespace, name, labels } = asked;
  const ofNamespace = namespace
    ? [
        ...(await readSame(db, folded)),
        ...(await readAlike(db, `${namespace}/${name.slice(0, 1)}`)),
        ...(await readAlike(db, `${namespace}/`)),
      ]
    : [];
  const owned = labels.length > 0 ? await readOwned(db, labels) : [];
  const named = await readNamed(db, index, asked.words);
  // As one word, as in Mongo DB.
  if (!namespace && asked.words.length > 1 && named.every(({ isAll }) => !isAll))
    named.push(...(await readNamed(db, index, labels.slice(0, 1))));
  const complete = new Set(named.filter(({ isAll }) => isAll).map(({ handle }) => handle));
  const candidates = [...new Set([...ofNamespace, ...owned, ...named].map(({ handle }) => handle))].map(
    (handle) => {
      const compared = compareTo(handle, asked);
      // As com.brave/search means the publisher's search engine, and a name that was cut off.
      const isMeant =
        (compared.isOfOwner && complete.has(handle)) ||
        (namespace !== '' && name.length > 2 && handle.toLowerCase().startsWith(folded));
      return isMeant ? { ...compared, edits: Math.min(compared.edits, mostEdits) } : compared;
    },
  );
  const near = candidates
    .filter(({ edits }) => edits <= mostEdits)
    .sort(
      (a, b) =>
        Number(b.edits < 0) - Number(a.edits < 0) ||
        Number(b.isOfNamespace) - Number(a.isOfNamespace) ||
        Number(b.isOfOwner) - Number(a.isOfOwner) ||
        Number(b.isLabel) - Number(a.isLabel) ||
        a.edits - b.edits ||
        (a.handle < b.handle ? -1 : 1),
    )
    .map(({ handle }) => handle);
  const others = candidates
    .filter(
      ({ handle, edits, isOfNamespace, isOfOwner }) =>
        edits > mostEdits && (isOfNamespace || isOfOwner || complete.has(handle)),
    )
    .sort(
      (a, b) =>
        Number(b.isOfNamespace) - Number(a.isOfNamespace) || Number(b.isOfOwner) - Number(a.isOfOwner),
    )
    .map(({ handle }) => handle);
  return { near: near.slice(0, limit), others: others.slice(0, limit) };
}
