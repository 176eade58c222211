import { sql } from 'kysely';
import { namespaceIdentity } from '../core/identity.ts';
import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { Db, Schema } from '../store/store.ts';
import type { ReferenceKind } from './table.ts';

type Row = Schema['listing_reference'];

const put = precompileQuery((db, rows: readonly Row[]) =>
  upsert(db, 'listing_reference', rows, 'key', 'published_at', 'handle'),
);

/** What a check of a listing saw; all else is of its record. */
const observedKinds: readonly ReferenceKind[] = ['tools', 'pay_to'];

/** Deletes what is stored of some listings: what their records have, or what a check saw. */
export async function deleteReferences(db: Db, handles: readonly string[], of: 'record' | 'check') {
  const kinds = of === 'check' ? 'in' : 'not in';
  const stored = db.deleteFrom('listing_reference').where('handle', 'in', handles);
  if (handles.length > 0) await stored.where('kind', kinds, observedKinds).execute();
}

export const putReferences = (db: Db, rows: readonly Row[]): Promise<void> =>
  inChunks(rows, (chunk) => put(db, chunk));

/**
 * Replaces what a check of a listing saw; returns the listings that have, or had, any of it in common with
 * it.
 */
export async function replaceChecked(
  db: Db,
  handle: string,
  seen: readonly Pick<Row, 'key' | 'kind' | 'as_of'>[],
): Promise<string[]> {
  const known = (await selectChecked(db, handle)).map(({ key }) => key);
  if (known.length + seen.length === 0) return [];
  const listing = db.selectFrom('listing').select('published_at').where('handle', '=', handle);
  const [row] = await listing.where('withdrawn', 'is', null).execute();
  await deleteReferences(db, [handle], 'check');
  if (row)
    await putReferences(
      db,
      seen.map((one) => ({ ...one, ...row, handle, publisher: namespaceIdentity(handle) })),
    );
  const keys = new Set([...known, ...seen.map(({ key }) => key)]);
  return (await Promise.all([...keys].map((key) => selectOldest(db, key)))).flat().map((one) => one.handle);
}

const selectChecked = precompileQuery((db, handle: string) =>
  db
    .selectFrom('listing_reference')
    .select('key')
    .where('handle', '=', handle)
    .where('kind', 'in', observedKinds),
);

/** Of more listings that have the same, the oldest are read. */
const mostRead = 200;
const selectOldest = precompileQuery((db, key: string) =>
  db
    .selectFrom('listing_reference')
    .select('handle')
    .where('key', '=', key)
    .orderBy('published_at')
    .orderBy('handle')
    .limit(mostRead + 1),
);

/**
 * The visible listings that ask to be paid at an address, and when that was seen last, the oldest first; of
 * more than 200, the first 201.
 */
export const readPaidAt = precompileQuery((db, key: string) =>
  db
    .selectFrom('listing_reference')
    .innerJoin('listing', 'listing.handle', 'listing_reference.handle')
    .select(['listing.handle', 'listing_reference.as_of'])
    .where('listing_reference.key', '=', key)
    .where('listing.withdrawn', 'is', null)
    .orderBy('listing_reference.published_at')
    .orderBy('listing.handle')
    .limit(mostRead + 1),
);

const sharedKinds = ['endpoint', 'repository', 'package', 'description', 'word', 'tools', 'pay_to'] as const;
export type SharedKind = (typeof sharedKinds)[number];

const second = sql`select 1 from listing_reference as other where other.key = own.key limit 1 offset 1`;
/**
 * Most that have the same word are of the same namespace, and nothing is said of those: their rows are not
 * read.
 */
const isNeeded = sql`own.kind <> 'word' or substr(other.handle, 1, length(listing.namespace) + 1) <> listing.namespace || '/'`;
const holders = sql`select case when ${isNeeded} then published_at || ' ' || other.handle || ' ' || as_of || ' ' || publisher end as holder
  from listing_reference as other where other.key = own.key order by published_at, handle limit ${sql.lit(mostRead + 1)}`;

/**
 * Of a row of `listing`: its keys that others have too, for `toShared`, each with the oldest that have it and
 * their number, as one text: a row for each would take SQLite several times as long.
 */
export const sharedColumn = sql<string | null>`(
  select string_agg(own.kind || ' ' || own.as_of || ' ' || (
    select count(*) || coalesce(',' || string_agg(holder, ','), '') from (${holders}) as oldest), ';')
  from listing_reference as own where own.handle = listing.handle
  and own.kind in (${sql.join(sharedKinds.map((kind) => sql.lit(kind)))}) and exists (${second}))`;

/** What says that two services may be one; a word in the names of their publishers shows no connection. */
const connectingKinds = sharedKinds.filter((kind) => kind !== 'word');

/**
 * Visible listings of other publishers that have the same as one, from the rows that `sharedColumn` reads;
 * one for each kind.
 */
export const readSharing = precompileQuery((db, handle: string) => {
  const place = sql<number>`row_number() over (partition by other.key order by other.published_at, other.handle)`;
  const holders = db
    .selectFrom('listing_reference as own')
    .innerJoin('listing_reference as other', 'other.key', 'own.key')
    .select(['other.handle', 'own.kind', 'other.publisher', 'own.publisher as of', place.as('place')])
    .where('own.handle', '=', handle)
    .where('own.kind', 'in', connectingKinds);
  return db
    .selectFrom(holders.as('holder'))
    .innerJoin('listing', 'listing.handle', 'holder.handle')
    .select(['listing.id', 'holder.kind'])
    .distinct()
    .where('place', '<=', mostRead)
    .whereRef('holder.publisher', '<>', 'holder.of')
    .where('listing.withdrawn', 'is', null);
});

function toKeyed(text: string) {
  const [own = '', ...holders] = text.split(',');
  const [kind, as_of = '', count] = own.split(' ');
  return { kind, as_of, count: Number(count), holders };
}

function toHolder(text: string) {
  const [published_at = '', handle = '', as_of = ''] = text.split(' ');
  return { published_at, handle, as_of };
}

function toSharedKind(handle: string, kind: SharedKind, keyed: readonly ReturnType<typeof toKeyed>[]) {
  const texts = keyed.flatMap(({ holders }) => holders);
  const all =
    keyed.length === 1 ? texts : [...new Map(texts.map((one) => [toHolder(one).handle, one])).values()];
  const publisher = ` ${namespaceIdentity(handle)}`;
  const others = all.filter((one) => !one.endsWith(publisher));
  // A text begins with the date and the handle of its listing.
  const [oldest] = others.toSorted();
  const first = oldest === undefined ? undefined : toHolder(oldest);
  const seen = keyed.find(({ holders }) => holders.includes(oldest ?? ''));
  return {
    kind,
    others: others.length,
    /** Further ones of the same publisher; of those with the same word, only those of another namespace. */
    own: all.length - others.length - (all.some((one) => one.includes(` ${handle} `)) ? 1 : 0),
    /** Whether there may be more: no more than the 200 oldest were read. */
    isCut: keyed.some(({ count }) => count > mostRead),
    /** The oldest of other publishers; `as_of` of what checks saw: when the older one of the two was made. */
    first: first && { ...first, as_of: [first.as_of, seen?.as_of ?? ''].sort()[0] ?? '' },
  };
}

/**
 * What a listing has in common with other visible ones, of one kind: what they record, list or are paid at.
 */
export type Shared = ReturnType<typeof toSharedKind>;

/** What `sharedColumn` read of a listing, by kind. */
export function toShared(handle: string, text: string | null): Shared[] {
  const byKind = Map.groupBy(text?.split(';').map(toKeyed) ?? [], ({ kind }) => kind);
  return sharedKinds.flatMap((kind) => {
    const keyed = byKind.get(kind);
    return keyed ? toSharedKind(handle, kind, keyed) : [];
  });
}
