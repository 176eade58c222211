import { sql } from 'kysely';
import type { NativeSignals } from '../../../evidence/listing/listing-document.ts';
import { type MonthCount, maxRatingsByMonth } from '../../../evidence/rating/month-counts.ts';
import type { outcomes, RatingCounts } from '../../../evidence/rating/rating.ts';
import type { Db } from '../../engine.ts';

const noCounts = (): RatingCounts => ({
  ratings: 0,
  sources: 0,
  control_roots: 0,
  outcomes: { succeeded: 0, partial: 0, failed: 0, refused: 0, unreachable: 0 },
  scores: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
});

/** A literal: with a parameter, SQLite would plan each statement again, as a partial index depends on its value. */
export const isCurrent = sql.lit(1);

/** Ratings of a subject that count: neither superseded nor withdrawn. */
export const currentOf = (db: Db, subject: string) =>
  db.selectFrom('rating').where('subject_handle', '=', subject).where('is_current', '=', isCurrent);

async function countGroup(db: Db, subject: string, independent: 0 | 1): Promise<RatingCounts> {
  const counts = noCounts();
  const group = currentOf(db, subject).where('independent', '=', independent);
  const total = await group
    .select(({ fn }) => [
      fn.count<number>('source_handle').distinct().as('sources'),
      fn.count<number>('source_root').distinct().as('roots'),
      fn.max('created_at').as('last'),
    ])
    .executeTakeFirstOrThrow();
  if (!total.last) return counts;
  const rows = await group
    .select(({ fn }) => ['outcome', 'score', fn.countAll<number>().as('ratings')])
    .groupBy(['outcome', 'score'])
    .execute();
  for (const row of rows) {
    const ratings = Number(row.ratings);
    counts.ratings += ratings;
    counts.outcomes[row.outcome as (typeof outcomes)[number]] += ratings;
    if (row.score !== null) counts.scores[String(row.score) as keyof RatingCounts['scores']] += ratings;
  }
  return {
    ...counts,
    sources: Number(total.sources),
    control_roots: Number(total.roots),
    last_at: total.last,
  };
}

async function countFlags(db: Db, subject: string): Promise<Record<string, number>> {
  const rows = await currentOf(db, subject)
    .where('flags', '<>', '[]')
    .select(({ fn }) => ['flags', fn.countAll<number>().as('ratings')])
    .groupBy('flags')
    .execute();
  const counts: Record<string, number> = {};
  for (const { flags, ratings } of rows) {
    for (const flag of JSON.parse(flags) as string[]) counts[flag] = (counts[flag] ?? 0) + Number(ratings);
  }
  return counts;
}

type NativeCounts = Pick<NativeSignals, 'ratings' | 'independent' | 'related' | 'flags'>;

/** The counts of a listing without ratings. */
export const noNativeCounts = (): NativeCounts => ({
  ratings: 0,
  independent: noCounts(),
  related: noCounts(),
  flags: {},
});

/** Counts of a listing's current ratings, split by independence; nothing is averaged. */
export async function readNativeCounts(db: Db, subject: string): Promise<NativeCounts> {
  const independent = await countGroup(db, subject, 1);
  const related = await countGroup(db, subject, 0);
  const ratings = independent.ratings + related.ratings;
  return { ratings, independent, related, flags: ratings > 0 ? await countFlags(db, subject) : {} };
}

/** The newest current ratings of a subject since a time, by month, outcome and independence. */
export async function readMonthCounts(db: Db, subject: string, since: string): Promise<MonthCount[]> {
  const newest = currentOf(db, subject)
    .where('created_at', '>=', since)
    .select(['created_at', 'outcome', 'independent'])
    .orderBy('created_at', 'desc')
    .limit(maxRatingsByMonth);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select(({ fn, lit }) => [
      fn<string>('substr', ['created_at', lit(1), lit(7)]).as('month'),
      'outcome',
      'independent',
      fn.countAll<number>().as('ratings'),
    ])
    .groupBy(['month', 'outcome', 'independent'])
    .orderBy('month')
    .execute();
  return rows.map(({ month, outcome, independent, ratings }) => ({
    month,
    outcome: outcome as MonthCount['outcome'],
    independent: independent === 1,
    ratings: Number(ratings),
  }));
}
