import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** Handles that are no longer listed are included. The order is ascending. */
export async function readHandlesWithEvidence(db: Db, after: string, limit: number): Promise<string[]> {
  // The two selects from tables of the observer have their own limits, because the observer may have checked
  // every listing.
  const firstOf = (table: 'observation' | 'observation_change') =>
    sql`select handle from (select distinct handle from ${sql.table(table)} where handle > ${after} order by handle limit ${limit}) as ${sql.table(table)}`;
  const { rows } = await sql<{
    handle: string;
  }>`select subject_handle as handle from rating where subject_handle > ${after}
    union select handle from claim_event where handle > ${after} union select handle from claim where handle > ${after}
    union select handle from moderation where handle > ${after} and ended_by is null
    union ${firstOf('observation')} union ${firstOf('observation_change')}
    order by handle limit ${limit}`.execute(db);
  return rows.map(({ handle }) => handle);
}
