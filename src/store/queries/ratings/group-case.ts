import { type RawBuilder, sql } from 'kysely';
import { type RatingFlag, type RatingGroup, ratingFlags } from '../../../evidence/rating/groups.ts';

const conditions = (now: string): Record<RatingFlag, RawBuilder<boolean>> => ({
  related: sql`rating.related = 1`,
  declared_interest: sql`rating.declared_interest = 1`,
  reciprocal: sql`rating.reciprocal = 1`,
  stated_overlap: sql`rating.stated_overlap is not null`,
  source_ended: sql`rating.source_ended_at is not null`,
  new_source: sql`rating.new_until > ${now}`,
});

/** The group of a rating's row at a time (RFC 3339): the first flag that holds, as groupOf decides it. */
export function groupCase(now: string): RawBuilder<RatingGroup> {
  const holds = conditions(now);
  const cases = ratingFlags.map((flag) => sql`when ${holds[flag]} then ${sql.lit(flag)}`);
  return sql<RatingGroup>`case ${sql.join(cases, sql` `)} else 'independent' end`;
}

/** How many rows a flag holds for, alone or with others. */
export const countFlag = (flag: RatingFlag, now: string): RawBuilder<number> =>
  sql<number>`sum(case when ${conditions(now)[flag]} then 1 else 0 end)`;
