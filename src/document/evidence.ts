import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** Ascending, with those that are no longer listed. */
export async function readHandlesWithEvidence(db: Db, after: string, limit: number): Promise<string[]> {
  // Own limits, because the observer may have checked every listing.
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
