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

/** Replaces what a check of a listing saw; returns the listings that have, or had, any of it in common with it. */
export async function replaceChecked(
  db: Db,
  handle: string,
  seen: readonly Pick<Row, 'key' | 'kind' | 'as_of'>[],
): Promise<string[]> {
  const stored = await selectOwn(db, [handle]);
  const known = stored.filter(({ kind }) => observedKinds.includes(kind)).map(({ key }) => key);
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
  const found = await Promise.all([...keys].map((key) => selectOldest(db, key)));
  return found.flat().map((one) => one.handle);
}

const sharedKinds = ['endpoint', 'package', 'repository', 'description', 'tools', 'pay_to', 'word'] as const;
export type SharedKind = (typeof sharedKinds)[number];

const selectOwn = precompileQuery((db, handles: readonly string[]) =>
  db
    .selectFrom('listing_reference')
    .select(['handle', 'kind', 'key', 'as_of'])
    .where('handle', 'in', [...handles])
    .where('kind', 'in', sharedKinds),
);

/** Of more listings that have the same, the oldest are read. */
const mostRead = 200;
const selectOldest = precompileQuery((db, key: string) =>
  db
    .selectFrom('listing_reference')
    .select(['handle', 'publisher', 'published_at', 'as_of'])
    .where('key', '=', key)
    .orderBy('published_at')
    .orderBy('handle')
    .limit(mostRead + 1),
);

/** A key of a listing, with the oldest listings that have it, itself included. */
type Keyed = Awaited<ReturnType<typeof selectOwn>>[number] & {
  readonly holders: Awaited<ReturnType<typeof selectOldest>>;
};

/** The listings that have any of some keys, each once, the oldest first. */
function holdersOf(keyed: readonly Keyed[]) {
  const [only, ...more] = keyed;
  if (only && more.length === 0) return only.holders;
  const once = new Map(keyed.flatMap(({ holders }) => holders.map((one) => [one.handle, one] as const)));
  const dated = [...once.values()].map((one) => [`${one.published_at} ${one.handle}`, one] as const);
  return dated.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function toShared(handle: string, publisher: string, [kind, keyed]: readonly [SharedKind, readonly Keyed[]]) {
  const all = holdersOf(keyed);
  const others = all.filter((one) => one.publisher !== publisher);
  const [first] = others;
  const seen = first && keyed.find(({ holders }) => holders.includes(first));
  return {
    kind,
    others: others.length,
    own: all.length - others.length - (all.some((one) => one.handle === handle) ? 1 : 0),
    /** Whether there may be more: no more than the 200 oldest were read. */
    isCut: keyed.some(({ holders }) => holders.length > mostRead),
    /** The oldest of other publishers; `as_of` of what checks saw: when the older one of the two was made. */
    first: first && { ...first, as_of: [first.as_of, seen?.as_of ?? ''].sort()[0] ?? '' },
  };
}

/** What a listing has in common with other visible ones, of one kind: what they record, list or are paid at. */
export type Shared = ReturnType<typeof toShared>;

/** What some listings (a hundred at most) have in common with other visible ones, by handle; one statement a key. */
export async function readShared(
  db: Db,
  handles: readonly string[],
): Promise<ReadonlyMap<string, readonly Shared[]>> {
  if (handles.length === 0) return new Map();
  const own = await selectOwn(db, handles);
  const holders = new Map<string, Keyed['holders']>();
  for (const { key } of own) if (!holders.has(key)) holders.set(key, await selectOldest(db, key));
  const byHandle = Map.groupBy(own, ({ handle }) => handle);
  return new Map(
    [...byHandle].map(([handle, keys]) => {
      const keyed = keys.map((one) => ({ ...one, holders: holders.get(one.key) ?? [] }));
      const kinds = [...Map.groupBy(keyed, ({ kind }) => kind as SharedKind)];
      const publisher = namespaceIdentity(handle);
      const shared = kinds.map((one) => toShared(handle, publisher, one));
      return [handle, shared.filter(({ others, own: same }) => others + same > 0)];
    }),
  );
}
