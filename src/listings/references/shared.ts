import { sql } from 'kysely';
import { namespaceIdentity } from '../../core/identity.ts';
import { inChunks, precompileQuery, upsert } from '../../store/query.ts';
import type { Db, ListingSchema, ReferenceKind } from '../schema.ts';
import { toReferenceKey } from './references.ts';

type ReferenceRow = ListingSchema['listing_reference'];

const put = precompileQuery((db: Db, rows: readonly ReferenceRow[]) =>
  upsert(db, 'listing_reference', rows, 'key', 'published_at', 'handle'),
);

const observedKinds: readonly ReferenceKind[] = ['tools', 'tool', 'pay_to', 'advisory', 'moved'];

export async function deleteReferences(db: Db, handles: readonly string[], of: 'record' | 'check') {
  const kinds = of === 'check' ? 'in' : 'not in';
  const stored = db.deleteFrom('listing_reference').where('handle', 'in', handles);
  if (handles.length > 0) await stored.where('kind', kinds, observedKinds).execute();
}

export const putReferences = (db: Db, rows: readonly ReferenceRow[]): Promise<void> =>
  inChunks(rows, (chunk) => put(db, chunk));

/** Returns the oldest listings that share or shared any reference but the name of a tool. */
export async function replaceChecked(
  db: Db,
  handle: string,
  seen: readonly Pick<ReferenceRow, 'key' | 'kind' | 'as_of'>[],
): Promise<string[]> {
  const known = await selectChecked(db, handle);
  if (known.length + seen.length === 0) return [];
  const listing = db.selectFrom('listing').select('published_at').where('handle', '=', handle);
  const [row] = await listing.where('withdrawn', 'is', null).execute();
  const now = seen.flatMap((one) =>
    row ? [{ ...one, ...row, handle, publisher: namespaceIdentity(handle) }] : [],
  );
  // Most names of tools are the same at each check.
  const before = new Set(known.map(rowOf));
  const after = new Set(now.map(rowOf));
  await inChunks(
    known.filter((one) => !after.has(rowOf(one))),
    async (gone) => {
      const stored = db.deleteFrom('listing_reference').where('handle', '=', handle);
      const keys = gone.map(({ key }) => key);
      await stored.where('key', 'in', keys).execute();
    },
  );
  const added = now.filter((one) => !before.has(rowOf(one)));
  await putReferences(db, added);
  const keys = new Set([...known, ...seen].flatMap(({ kind, key }) => (kind === 'tool' ? [] : [key])));
  return (await Promise.all([...keys].map((key) => selectOldest(db, key)))).flat().map((one) => one.handle);
}

const rowOf = ({ key, published_at, as_of }: Pick<ReferenceRow, 'key' | 'published_at' | 'as_of'>) =>
  `${key} ${published_at} ${as_of}`;

const selectChecked = precompileQuery((db: Db, handle: string) =>
  db
    .selectFrom('listing_reference')
    .select(['key', 'kind', 'published_at', 'as_of'])
    .where('handle', '=', handle)
    .where('kind', 'in', observedKinds),
);

/** One more is read, to see whether there are more. */
const mostRead = 200;
const selectOldest = precompileQuery((db: Db, key: string) =>
  db
    .selectFrom('listing_reference')
    .select('handle')
    .where('key', '=', key)
    .orderBy('published_at')
    .orderBy('handle')
    .limit(mostRead + 1),
);

/** Visible listings beside what they record, the oldest first. */
export const selectHolders = (db: Db) =>
  db
    .selectFrom('listing_reference')
    .innerJoin('listing', 'listing.handle', 'listing_reference.handle')
    .where('listing.withdrawn', 'is', null)
    .orderBy('listing_reference.published_at')
    .orderBy('listing_reference.handle');

export const readPaidAt = precompileQuery((db: Db, key: string) =>
  selectHolders(db)
    .select(['listing.handle', 'listing_reference.as_of'])
    .where('listing_reference.key', '=', key)
    .limit(mostRead + 1),
);

const sharedKinds = [
  ...(['endpoint', 'repository', 'package', 'description', 'namesake', 'word'] as const),
  ...(['tools', 'pay_to', 'account', 'website'] as const),
] as const;
export type SharedKind = (typeof sharedKinds)[number];

const second = sql`select 1 from listing_reference as other where other.key = own.key limit 1 offset 1`;
/** Not reported: a word shared within a namespace, and what a publisher shares with itself. */
const isNeeded = sql`case own.kind when 'word' then substr(other.handle, 1, length(listing.namespace) + 1) <> listing.namespace || '/'
  when 'account' then other.publisher <> own.publisher when 'website' then other.publisher <> own.publisher else true end`;
const holders = sql`select case when ${isNeeded} then published_at || ' ' || other.handle || ' ' || as_of || ' ' || publisher end as holder
  from listing_reference as other where other.key = own.key order by published_at, handle limit ${sql.lit(mostRead + 1)}`;

/**
 * For `readShared`: the kind of each shared key, how many holders were read, and these, oldest first. On
 * SQLite one text is faster than rows.
 */
export const sharedColumn = sql<string | null>`(
  select string_agg(own.kind || ' ' || own.key || ' ' || own.as_of || ' ' || (
    select count(*) || coalesce(',' || string_agg(holder, ','), '') from (${holders}) as oldest), ';')
  from listing_reference as own where own.handle = listing.handle
  and own.kind in (${sql.join(sharedKinds.map((kind) => sql.lit(kind)))}) and exists (${second}))`;

/** Shared words show no connection, and what a record says of its website or repository is no proof. */
const connectingKinds = sharedKinds.filter((kind) => !/^(?:word|account|website)$/.test(kind));

/** Visible ones, by kind. */
export const readSharing = precompileQuery((db: Db, handle: string) => {
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
    .select(sql<boolean | number>`holder.publisher = holder.of`.as('of_own'))
    .distinct()
    .where('place', '<=', mostRead)
    .where('holder.handle', '<>', handle)
    .where('listing.withdrawn', 'is', null);
});

function toKeyed(text: string) {
  const [own = '', ...holders] = text.split(',');
  const [kind, key, as_of = '', count] = own.split(' ');
  return { kind, key, as_of, count: Number(count), holders };
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
  const own = all.filter((one) => one.endsWith(publisher) && toHolder(one).handle !== handle);
  // By the date and the handle at its beginning; whoever holds the account or the domain comes first, and a
  // holder's answer names nobody who records its domain as a website.
  const sorted = others.toSorted();
  const isHolder = (text: string) =>
    keyed.some(({ key }) => key === toReferenceKey(kind, text.slice(text.lastIndexOf(' ') + 1)));
  const holder = kind === 'account' || kind === 'website' ? sorted.find(isHolder) : undefined;
  const oldest = holder ?? (kind === 'website' ? undefined : sorted[0]);
  const first = oldest === undefined ? undefined : toHolder(oldest);
  const seen = keyed.find(({ holders }) => holders.includes(oldest ?? ''));
  return {
    kind,
    others: others.length,
    handles: others.map((one) => toHolder(one).handle),
    /** Of the same publisher; for a word, of another namespace. */
    own: own.length,
    onlyOwn: own.length === 1 ? own.map(toHolder)[0]?.handle : undefined,
    /** Of more than 200 holders, only the oldest 201 were read and counted. */
    isCut: keyed.some(({ count }) => count > mostRead),
    /** `as_of` is the older sight, here or at `first`; empty if records name it. */
    first: first && { ...first, as_of: [first.as_of, seen?.as_of ?? ''].sort()[0] ?? '' },
  };
}

const selectDeprecated = precompileQuery((db: Db, handles: readonly string[]) =>
  db
    .selectFrom('listing')
    .select('handle')
    .where('handle', 'in', [...handles])
    .where('origin_status', '=', 'deprecated'),
);

export type SharedReference = Awaited<ReturnType<typeof readShared>>[number];

/**
 * `text`: of `sharedColumn`; `isDeprecated`: its registry lists the first one so; `also`: other holders that
 * are the first ones of a kind before, so that they are named again and not counted as further listings.
 */
export async function readShared(db: Db, handle: string, text: string | null) {
  const byKind = Map.groupBy(text?.split(';').map(toKeyed) ?? [], ({ kind }) => kind);
  const shared = sharedKinds.flatMap((kind) => {
    const keyed = byKind.get(kind);
    return keyed ? toSharedKind(handle, kind, keyed) : [];
  });
  const named = [...new Set(shared.flatMap(({ first }) => first?.handle ?? []))];
  const found = named.length > 0 ? await selectDeprecated(db, named) : [];
  const deprecated = new Set(found.map((one) => one.handle));
  return shared.map(({ handles, ...one }, index) => {
    const firsts = new Set(shared.slice(0, index).map(({ first }) => first?.handle));
    firsts.delete(one.first?.handle);
    const also = handles.filter((other) => firsts.has(other));
    return { ...one, also, isDeprecated: deprecated.has(one.first?.handle ?? '') };
  });
}
