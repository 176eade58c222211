import { sql } from 'kysely';
import { namespaceIdentity } from '../core/identity.ts';
import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { Db, Schema } from '../store/store.ts';
import type { ReferenceKind } from './table.ts';

type Row = Schema['listing_reference'];

const put = precompileQuery((db, rows: readonly Row[]) =>
  upsert(db, 'listing_reference', rows, 'key', 'handle'),
);

/** What an observation of a listing shows, which an import neither stores nor deletes. */
const observedKinds: readonly ReferenceKind[] = ['tools', 'pay_to'];

/** Replaces what is stored of some listings, by their records or by what was observed of them. */
export async function replaceReferences(
  db: Db,
  by: 'record' | 'observation',
  { handles, rows }: { readonly handles: readonly string[]; readonly rows: readonly Row[] },
): Promise<void> {
  if (handles.length > 0)
    await db
      .deleteFrom('listing_reference')
      .where('handle', 'in', handles)
      .where('kind', by === 'record' ? 'not in' : 'in', observedKinds)
      .execute();
  await inChunks(rows, (chunk) => put(db, chunk));
}

const sharedKinds = ['endpoint', 'package', 'repository', 'description', 'tools', 'pay_to', 'word'] as const;
export type SharedKind = (typeof sharedKinds)[number];
/** Listings that are counted, those of other namespaces first. */
export const mostCounted = 20;

/** Visible listings that have something in common with some others: of other namespaces first, the oldest first. */
const selectShared = precompileQuery((db, handles: readonly string[]) =>
  db
    .selectFrom(
      db
        .selectFrom('listing_reference as own')
        .innerJoin('listing as me', 'me.handle', 'own.handle')
        .innerJoin('listing_reference as other', (join) =>
          join.onRef('other.key', '=', 'own.key').onRef('other.handle', '<>', 'own.handle'),
        )
        .innerJoin('listing', 'listing.handle', 'other.handle')
        .where('own.handle', 'in', [...handles])
        .where('own.kind', 'in', sharedKinds)
        .where('listing.withdrawn', 'is', null)
        .where(({ eb, or }) =>
          or([eb('own.kind', '<>', 'word'), eb('listing.namespace', '<>', eb.ref('me.namespace'))]),
        )
        .select(['own.handle as of', 'own.kind', 'listing.handle', 'listing.published_at'])
        .select(
          sql<number>`row_number() over (partition by own.handle, own.kind
            order by case when listing.namespace = me.namespace then 1 else 0 end, listing.id)`.as('place'),
        )
        .as('shared'),
    )
    .selectAll()
    .where('place', '<=', mostCounted)
    .orderBy('of')
    .orderBy('kind')
    .orderBy('place'),
);

type SharedRow = Awaited<ReturnType<typeof selectShared>>[number];

/** What a listing has in common with others, by kind: how many of other publishers and of its own, and the oldest of others. */
export const toShared = (handle: string, rows: readonly SharedRow[] = []) =>
  [...Map.groupBy(rows, ({ kind }) => kind as SharedKind)]
    .map(([kind, found]) => {
      const all = [...new Map(found.map((one) => [one.handle, one])).values()];
      const others = all.filter((one) => namespaceIdentity(one.handle) !== namespaceIdentity(handle));
      const own = kind === 'word' ? 0 : all.length - others.length;
      return { kind, others: others.length, own, first: others[0] };
    })
    .filter(({ others, own }) => others + own > 0);

/** One thing that other visible listings record, list or are paid at too; 20 or more are counted as 20. */
export type Shared = ReturnType<typeof toShared>[number];

/** What visible listings have in common with some others (a hundred at most), by the handles of these; one statement. */
export const readShared = async (
  db: Db,
  handles: readonly string[],
): Promise<ReadonlyMap<string, SharedRow[]>> => Map.groupBy(await selectShared(db, handles), ({ of }) => of);
