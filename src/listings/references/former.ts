import { sql } from 'kysely';
import { inChunks, precompileQuery, upsert } from '../../store/query.ts';
import { listingTable } from '../listing.ts';
import type { Db, ListingRow, ListingSchema } from '../schema.ts';
import { readFormerlyPaid } from './payees.ts';
import { keyOfReference, type Reference } from './references.ts';

/** Named by other versions than the shown one: older ones until a newer one did not, or a later one. */
export type FormerReference = Omit<ListingSchema['former_reference'], 'handle'>;

const selectOf = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('former_reference').select(['key', 'until']).where('handle', '=', handle).orderBy('key'),
);

/** Writes nothing if nothing changed. */
export async function replaceFormer(db: Db, handle: string, rows: readonly FormerReference[]): Promise<void> {
  const known = await selectOf(db, handle);
  const wanted = rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const textOf = (all: readonly FormerReference[]) => all.map(({ key, until }) => `${key} ${until}`).join();
  if (textOf(known) === textOf(wanted)) return;
  await deleteFormer(db, handle);
  await inChunks(
    wanted.map(({ key, until }) => ({ key, handle, until })),
    (chunk) => upsert(db, 'former_reference', chunk, 'key', 'handle').execute(),
  );
}

export async function deleteFormer(db: Db, handle: string): Promise<void> {
  await db.deleteFrom('former_reference').where('handle', '=', handle).execute();
}

/** Thousands of listings may have had the same host. */
const mostRead = 200;

const selectFormer = precompileQuery((db: Db, key: string, limit: number) =>
  db
    .selectFrom(
      db
        .selectFrom('former_reference')
        .selectAll()
        .where('key', '=', key)
        .orderBy('until', 'desc')
        .orderBy('handle', 'desc')
        .limit(sql.lit(mostRead))
        .as('former'),
    )
    .innerJoin('listing', 'listing.handle', 'former.handle')
    .leftJoin('listing_version as shown', (join) =>
      join.onRef('shown.handle', '=', 'listing.handle').onRef('shown.version', '=', 'listing.version'),
    )
    .selectAll('listing')
    .select(({ selectFrom }) => [
      'former.until',
      'shown.published_at as shown_at',
      // Until then, and not since then, if no version was published.
      selectFrom('listing_version as later')
        .select('later.published_at')
        .whereRef('later.handle', '=', 'former.handle')
        .whereRef('later.published_at', '=', 'former.until')
        .where('later.status', '<>', 'deleted')
        .limit(1)
        .as('later_at'),
    ])
    .where(({ eb, or }) => or([eb('withdrawn', 'is', null), eb('withdrawn', '=', 'deleted')]))
    .where('hidden', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('listing_reference as present')
            .select('present.key')
            .whereRef('present.handle', '=', 'former.handle')
            .whereRef('present.key', '=', 'former.key'),
        ),
      ),
    )
    // Deleted ones count only if there is no other.
    .orderBy(sql`withdrawn is not null`)
    .orderBy('former.until', 'desc')
    .orderBy('former.handle')
    .limit(limit),
);

/** Shown listings that record now what a listing that was deleted recorded; packages last. */
export const readRecordingToo = (db: Db, handle: string, limit: number) =>
  db
    .selectFrom('former_reference')
    .innerJoin('listing_reference as now', 'now.key', 'former_reference.key')
    .innerJoin('listing', 'listing.handle', 'now.handle')
    .select(['now.handle', 'now.kind', 'listing.origin_status'])
    .distinct()
    .where('former_reference.handle', '=', handle)
    .where('now.kind', 'in', ['endpoint', 'package'])
    .where('withdrawn', 'is', null)
    .where('hidden', 'is', null)
    .orderBy('now.kind')
    .orderBy('now.handle')
    .limit(limit)
    .execute();

type FormerRow = ListingRow & {
  readonly until: string | null;
  readonly shown_at?: string | null;
  readonly later_at?: string | null;
};

export type FormerHolder = Awaited<ReturnType<typeof readFormerly>>[number][number];

/** `isLater`: a later version than the shown one, published at `until`, names it. */
export const readFormerly = (db: Db, references: readonly Reference[], limit: number) =>
  Promise.all(
    references.map(async (one) => {
      const key = keyOfReference(one);
      const rows: readonly FormerRow[] = await (one.kind === 'pay_to'
        ? readFormerlyPaid(db, key, one.network, limit)
        : selectFormer(db, key, limit));
      const present = rows.filter(({ withdrawn }) => withdrawn === null);
      const shown = present.length > 0 ? present : rows;
      return shown.map(({ until, shown_at, later_at, ...row }) => ({
        listing: listingTable.decode(row),
        until: until ?? '',
        ...(shown_at && later_at && later_at > shown_at && { isLater: true as const }),
      }));
    }),
  );
