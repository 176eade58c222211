import { sql } from 'kysely';
import { Holder, isOnNamespace, namespaceIdentity } from '../core/identity.ts';
import { ownerFacet, ownerLabel } from '../search/query.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { foldToolName } from '../search/tool-names.ts';
import { inChunks, precompileQuery } from '../store/query.ts';
import { type Listing, listingTable, withoutHidden } from './listing.ts';
import { readPaidOn } from './references/payees.ts';
import {
  holderOfReference,
  keyOfReference,
  type Reference,
  toReferenceKey,
} from './references/references.ts';
import { selectHolders } from './references/shared.ts';
import { isFitting, storedAs } from './references/templates.ts';
import type { Db, ListingRow } from './schema.ts';
import { readByIds } from './table.ts';

/** The oldest of each publisher comes before its others, so that no publisher fills an answer alone. */
const selectRecording = precompileQuery((db: Db, keys: readonly string[], limit: number) => {
  const turn = sql<number>`row_number() over (partition by key, publisher order by published_at, handle)`;
  const place = sql<number>`row_number() over (partition by key order by turn, published_at, handle)`;
  const holders = db
    .selectFrom('listing_reference')
    .select(['key', 'handle', 'publisher', 'published_at', turn.as('turn')])
    .where('key', 'in', [...keys]);
  const inTurns = db.selectFrom(holders.as('one')).select(['key', 'handle', 'publisher', place.as('place')]);
  return db
    .selectFrom(inTurns.as('holder'))
    .innerJoin('listing', 'listing.handle', 'holder.handle')
    .selectAll('listing')
    .select(['holder.key', 'holder.publisher'])
    .where('place', '<=', limit)
    .where('withdrawn', 'is', null)
    .orderBy('place');
});

/** Only the oldest, because thousands may share a host or a payee. */
const selectOldest = precompileQuery((db: Db, key: string, limit: number, holder?: string) =>
  selectHolders(db)
    .selectAll('listing')
    .select(['listing_reference.key', 'listing_reference.publisher'])
    .where('listing_reference.key', '=', key)
    .$if(holder !== undefined, (rows) => rows.where('listing_reference.publisher', '=', holder ?? ''))
    .limit(limit),
);

type RecordingRow = ListingRow & { readonly publisher?: string | null };

const mostHeld = 100;

/**
 * First those on the holder's own domain, then its others: anybody may record an address, also many times,
 * so the oldest is not always its holder's.
 */
function inOrder<Row extends { readonly handle: string }>(
  { key }: Reference,
  held: readonly Row[],
  rows: readonly Row[],
): Row[] {
  const isOwn = ({ handle }: Row) => Number(isOnNamespace(handle, `https://${key}`));
  const ownFirst = held.toSorted((a, b) => isOwn(b) - isOwn(a));
  const handles = new Set(held.map(({ handle }) => handle));
  return [...ownFirst, ...rows.filter(({ handle }) => !handles.has(handle))];
}

/** All; none if the candidates have too many endpoints to compare. */
async function readFitting(db: Db, asked: Reference) {
  const rows = await selectRecording(db, storedAs(asked).map(keyOfReference), mostHeld + 1);
  const found = [...new Map(rows.map((one) => [one.handle, one])).values()];
  const remotesOf = found.map(({ remotes }) => JSON.parse(remotes) as Listing['remotes']);
  if (remotesOf.flat().length > mostHeld) return [];
  return found.filter((_, at) => remotesOf[at]?.some((one) => isFitting(one, asked)));
}

/** Of a name: a domain that has it, first in these letters, an account, and then those that chose it. */
function ownership({ key }: Reference, { handle }: ListingRow): number {
  if (ownerLabel(handle) !== key) return 0;
  const { id, isAccount } = Holder.ofNamespace(handle);
  return isAccount ? 1 : 2 + Number(id.startsWith(`${key}.`));
}

/** A folder chooses among the listings of the repository's account, and never against them. */
async function isAgainst(db: Db, { kind, key }: Reference, rows: readonly RecordingRow[], account: string) {
  if (kind !== 'folder' || rows.length === 0) return false;
  const ofAccount = (one: Reference) => selectOldest(db, keyOfReference(one), 1, account);
  const [inFolder, inRepository] = await Promise.all([
    ofAccount({ kind, key }),
    ofAccount({ kind: 'repository', key: key.replace(/\/\/.*/s, '') }),
  ]);
  return inFolder.length === 0 && inRepository.length > 0;
}

async function holderFirst(db: Db, reference: Reference, rows: readonly RecordingRow[], limit: number) {
  if (reference.kind === 'called')
    return rows.toSorted((a, b) => ownership(reference, b) - ownership(reference, a));
  const holder = holderOfReference(reference);
  if (holder === undefined) return rows;
  if (await isAgainst(db, reference, rows, holder)) return [];
  if (rows.length < 2) return rows;
  const isAll = rows.length < limit || reference.kind === 'template';
  const held = isAll
    ? rows.filter(({ publisher }) => publisher === holder)
    : await selectOldest(db, keyOfReference(reference), Math.max(limit, mostHeld), holder);
  return inOrder(reference, held, rows).slice(0, limit);
}

const isOfMany = ({ kind }: Reference): boolean => /^(?:host|pay_to|template)$/.test(kind);

/** What a record says that it asks for is no answer to the name of a tool that Dossier saw in a list. */
const toolNamedAs = ({ kind, key }: Reference): readonly string[] =>
  kind === 'input' ? [toReferenceKey('tool', foldToolName(key))] : [];

async function readOwned(db: Db, index: SearchIndex, owner: string, limit: number) {
  const facets = [ownerFacet(owner)];
  return readByIds(db, await index.list(db, { facets, order: 'oldest', after: undefined, limit }));
}

export async function readRecording(
  db: Db,
  index: SearchIndex,
  references: readonly Reference[],
  limit: number,
) {
  const few = new Set(
    references.filter((one) => !isOfMany(one)).flatMap((one) => [keyOfReference(one), ...toolNamedAs(one)]),
  );
  const rows: (RecordingRow & { readonly key: string })[] = [];
  await inChunks([...few], async (some) => rows.push(...(await selectRecording(db, some, limit))));
  const byKey = Map.groupBy(rows, ({ key }) => key);
  const oldest = (one: Reference): Promise<readonly RecordingRow[]> | readonly RecordingRow[] => {
    if (one.kind === 'owner') return readOwned(db, index, one.key, limit);
    if (one.kind === 'template') return readFitting(db, one);
    const key = keyOfReference(one);
    if (toolNamedAs(one).some((tool) => byKey.has(tool))) return [];
    if (!isOfMany(one)) return byKey.get(key) ?? [];
    return one.network === undefined ? selectOldest(db, key, limit) : readPaidOn(db, key, one.network, limit);
  };
  const found = references.map(async (one) => holderFirst(db, one, await oldest(one), limit));
  return (await Promise.all(found)).map((some) => some.map(listingTable.decode).map(withoutHidden));
}

const holding = (db: Db, key: string) =>
  selectHolders(db)
    .select(['listing.id', 'listing.handle', 'listing_reference.publisher'])
    .where('listing_reference.key', '=', key);

const selectHolding = precompileQuery(holding);

const selectPaidOn = precompileQuery((db: Db, key: string, network: string) =>
  holding(db, key).where(({ exists, selectFrom }) =>
    exists(
      selectFrom('payee')
        .select('payee.key')
        .where('payee.key', '=', key)
        .where('payee.network', '=', network)
        .where('payee.until', 'is', null)
        .whereRef('payee.handle', '=', 'listing.handle'),
    ),
  ),
);

/** All visible ones, as `readRecording` orders them. */
export async function readHolding(db: Db, index: SearchIndex, reference: Reference) {
  const { kind, key: of, network } = reference;
  if (kind === 'owner')
    return (await readOwned(db, index, of, Number.MAX_SAFE_INTEGER)).map(({ id, handle }) => ({
      id,
      handle,
      publisher: namespaceIdentity(handle),
    }));
  const key = keyOfReference(reference);
  const select = () => (network === undefined ? selectHolding(db, key) : selectPaidOn(db, key, network));
  const rows = kind === 'template' ? await readFitting(db, reference) : await select();
  const holder = holderOfReference(reference);
  const all = rows.map(({ id, handle, publisher }) => ({ id, handle, publisher }));
  const held = all.filter(({ publisher }) => publisher === holder);
  return inOrder(reference, held, all);
}
