import { type RawBuilder, sql } from 'kysely';
import {
  groupRules,
  leastPraise,
  type RatingFlag,
  type RatingGroup,
  ratingFlags,
} from '../../../evidence/rating/groups.ts';

const tests = {
  true: (column: RawBuilder<unknown>) => sql<boolean>`${column} = 1`,
  present: (column: RawBuilder<unknown>) => sql<boolean>`${column} is not null`,
  until: (column: RawBuilder<unknown>, now: string) => sql<boolean>`${column} > ${now}`,
};

/** Whether a flag holds for a row; the basis of a rule has a column of its name. */
const holds = (flag: RatingFlag, now: string) =>
  tests[groupRules[flag].holds](sql.ref(`rating.${groupRules[flag].basis}`), now);

/** The group of a rating's row at a time (RFC 3339): the first flag that holds, as groupOf decides it. */
export function groupCase(now: string): RawBuilder<RatingGroup> {
  const cases = ratingFlags.map((flag) => sql`when ${holds(flag, now)} then ${sql.lit(flag)}`);
  return sql<RatingGroup>`case ${sql.join(cases, sql` `)} else 'independent' end`;
}

/** How many rows a flag holds for, alone or with others. */
export const countFlag = (flag: RatingFlag, now: string): RawBuilder<number> =>
  sql<number>`sum(case when ${holds(flag, now)} then 1 else 0 end)`;

/** Whether a row praises, as isPraise decides it. */
export const praises = sql<boolean>`(rating.outcome = 'succeeded' or coalesce(rating.score, 0) >= ${sql.lit(leastPraise)})`;
