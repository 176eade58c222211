import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../engine.ts';
import type { RatingRow } from '../../schema/ratings.ts';
import { praises } from './group-case.ts';

/** The listings that somebody holds, by the registry or a claim, and the holders of a listing. */
const listingsOf = (holder: RawBuilder<unknown>) =>
  sql`(select handle from recorded_identity where kind = 'proven' and value = ${holder})`;
const holdersOf = (handle: RawBuilder<unknown>) =>
  sql`(select value from recorded_identity where kind = 'proven' and handle = ${handle})`;

/** Whether a rating praises, and a rating in the other direction that is not withdrawn was first made within 90 days of it. */
const isReciprocal = sql<boolean>`(${praises} and exists (
  select 1 from rating as back
  where back.source_identity in ${holdersOf(sql`rating.subject_handle`)}
    and back.subject_handle in ${listingsOf(sql`rating.source_identity`)}
    and back.source_identity <> rating.source_identity
    and back.withdrawn_at is null
    and back.first_created_at <= rating.pair_until
    and rating.first_created_at <= back.pair_until))`;

/** Brings the column reciprocal of ratings, given by a selection of ids, up to date; returns the rated handles that changed. */
async function settle(db: Db, ids: RawBuilder<unknown>): Promise<string[]> {
  const rows = await db
    .updateTable('rating')
    .set({ reciprocal: sql<number>`1 - reciprocal` })
    .where(sql<boolean>`rating.id in (${ids})`)
    .where(sql<boolean>`(reciprocal = 1) <> ${isReciprocal}`)
    .returning('subject_handle')
    .execute();
  return rows.map(({ subject_handle }) => subject_handle);
}

type Rated = Pick<RatingRow, 'id' | 'source_identity' | 'subject_handle' | 'first_created_at' | 'pair_until'>;

/** Settles a rating that was made or withdrawn, and those in the other direction within 90 days. */
export const settlePairsOf = (
  db: Db,
  { id, source_identity, subject_handle, first_created_at, pair_until }: Rated,
): Promise<string[]> =>
  settle(
    db,
    sql`select cast(${id} as text) union all select id from rating as back
      where back.source_identity in ${holdersOf(sql`${subject_handle}`)}
      and back.subject_handle in ${listingsOf(sql`${source_identity}`)}
      and back.first_created_at <= ${pair_until}
      and back.pair_until >= ${first_created_at}`,
  );

/** Settles the ratings about a listing that got another holder, and those by the holder. */
export const settlePairsBy = (db: Db, handle: string, holder: string): Promise<string[]> =>
  settle(
    db,
    sql`select id from rating where subject_handle = ${handle} union all select id from rating where source_identity = ${holder}`,
  );
