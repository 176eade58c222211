import { sql } from 'kysely';
import { currentFlag } from '../store/query.ts';
import { type RatingFlag, type RatingGroup, ratingFlags, ratingGroups } from './groups.ts';
import { proofClasses } from './proof.ts';
import { type MonthCount, maxRatingsByMonth, type NativeSignals, type RatingCounts } from './rating.ts';
import type { Db } from './schema.ts';
import { countFlag, groupCase } from './table.ts';

const noOutcomes = () => ({ succeeded: 0, partial: 0, failed: 0, refused: 0, unreachable: 0 });
const noCounts = (): RatingCounts => ({
  ratings: 0,
  sources: 0,
  source_handles: 0,
  source_outcomes: noOutcomes(),
  outcomes: noOutcomes(),
  scores: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
  by_proof: Object.fromEntries(proofClasses.map((name) => [name, 0])) as RatingCounts['by_proof'],
});

const noGroups = () =>
  Object.fromEntries(ratingGroups.map((group) => [group, noCounts()])) as Record<RatingGroup, RatingCounts>;

/** The time of a count, RFC 3339. With `isPast`, the ratings are those that counted then. */
interface CountedAt {
  readonly now: string;
  readonly isPast?: boolean;
}

const isLater = (column: string, { now }: CountedAt) =>
  sql<boolean>`coalesce(${sql.ref(column)}, '9') > ${now}`;

const currentOf = (db: Db, subject: string, at: CountedAt) => {
  const ratings = db.selectFrom('rating').where('subject_handle', '=', subject);
  if (!at.isPast) return ratings.where('is_current', '=', currentFlag);
  return ratings
    .where('created_at', '<=', at.now)
    .where(isLater('withdrawn_at', at))
    .where(isLater('voided_at', at))
    .where(sql<boolean>`not exists (select 1 from rating as newer
      where newer.id = rating.superseded_by and newer.created_at <= ${at.now})`);
};

const groupedOf = (db: Db, subject: string, at: CountedAt) =>
  currentOf(db, subject, at).select([
    'source_handle',
    'source',
    'log_index',
    'created_at',
    'outcome',
    'score',
    'proof_class',
    groupCase(at.now).as('in_group'),
  ]);

/** From the newest. */
const placeBy = (column: 'source' | 'source_handle') =>
  sql<number>`row_number() over (partition by in_group, ${sql.ref(column)} order by log_index desc)`;

const readHistogram = (db: Db, subject: string, at: CountedAt) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom(groupedOf(db, subject, at).as('grouped'))
        .selectAll()
        .select([placeBy('source').as('of_source'), placeBy('source_handle').as('of_handle')])
        .as('placed'),
    )
    .select(({ fn }) => [
      ...(['in_group', 'outcome', 'score', 'proof_class'] as const),
      fn.countAll<number>().as('ratings'),
      fn.max('created_at').as('last'),
      sql<number>`sum(case when of_source = 1 then 1 else 0 end)`.as('sources'),
      sql<number>`sum(case when of_handle = 1 then 1 else 0 end)`.as('source_handles'),
    ])
    .groupBy(['in_group', 'outcome', 'score', 'proof_class'])
    .execute();

/** `sources` and `source_handles` count those whose newest rating in the group has these values. */
export function toGroupCounts(
  cells: Iterable<Awaited<ReturnType<typeof readHistogram>>[number]>,
): Record<RatingGroup, RatingCounts> {
  const groups = noGroups();
  for (const { in_group, outcome, score, proof_class, last, ...row } of cells) {
    const counts = groups[in_group];
    const ratings = Number(row.ratings);
    const sources = Number(row.sources);
    counts.ratings += ratings;
    counts.sources += sources;
    counts.source_handles += Number(row.source_handles);
    counts.source_outcomes[outcome] += sources;
    counts.outcomes[outcome] += ratings;
    counts.by_proof[proof_class] += ratings;
    if (score !== null) counts.scores[String(score) as keyof RatingCounts['scores']] += ratings;
    if (last > (counts.last_at ?? '')) counts.last_at = last;
  }
  return groups;
}

async function countFlags(db: Db, subject: string, at: CountedAt): Promise<Record<string, number>> {
  const row = await currentOf(db, subject, at)
    .select(ratingFlags.map((flag) => countFlag(flag, at.now).as(flag)))
    .executeTakeFirstOrThrow();
  const counts = ratingFlags.map((flag): [RatingFlag, number] => [flag, Number(row[flag] ?? 0)]);
  return Object.fromEntries(counts.filter(([, ratings]) => ratings > 0));
}

async function countModerated(
  db: Db,
  subject: string,
  { now }: CountedAt,
): Promise<Record<'voided' | 'hidden', number>> {
  const rows = await db
    .selectFrom('moderation')
    .innerJoin('rating', 'rating.id', 'moderation.target')
    .select(({ fn }) => ['moderation.action', fn.countAll<number>().as('ratings')])
    .where('moderation.handle', '=', subject)
    .where('moderation.target_kind', '=', 'rating')
    .where('moderation.at', '<=', now)
    .where('moderation.ended_by', 'is', null)
    .groupBy('moderation.action')
    .execute();
  const countOf = (name: string) => Number(rows.find(({ action }) => action === name)?.ratings ?? 0);
  return { voided: countOf('void'), hidden: countOf('hide') };
}

/** Shared by all listings without ratings. */
export const noNativeCounts: Omit<
  NativeSignals,
  'statement' | 'computed_score' | 'proof_meanings' | 'recent'
> = { ratings: 0, ...noGroups(), voided: 0, hidden: 0, flags: {} };

export async function readNativeCounts(
  db: Db,
  subject: string,
  now: string,
  isPast = false,
): Promise<typeof noNativeCounts> {
  const at = { now, isPast };
  const groups = toGroupCounts(await readHistogram(db, subject, at));
  const ratings = Object.values(groups).reduce((sum, group) => sum + group.ratings, 0);
  const moderated = await countModerated(db, subject, at);
  const flags = ratings > 0 ? await countFlags(db, subject, at) : {};
  return { ratings, ...groups, ...moderated, flags };
}

/** When the next source stops being new, RFC 3339. */
export async function readNextChange(db: Db, subject: string, now: string): Promise<string | undefined> {
  const row = await currentOf(db, subject, { now })
    .where('new_until', '>', now)
    .select(({ fn }) => fn.min('new_until').as('next'))
    .executeTakeFirst();
  return row?.next ?? undefined;
}

/** Of the newest `maxRatingsByMonth`. */
export async function readMonthCounts(
  db: Db,
  subject: string,
  { since, now }: { readonly since: string; readonly now: string },
): Promise<MonthCount[]> {
  const newest = currentOf(db, subject, { now })
    .where('created_at', '>=', since)
    .select(['created_at', 'outcome', groupCase(now).as('in_group')])
    .orderBy('log_index', 'desc')
    .limit(maxRatingsByMonth);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select(({ fn, lit }) => [
      fn<string>('substr', ['created_at', lit(1), lit(7)]).as('month'),
      'outcome',
      'in_group as group',
      fn.countAll<number>().as('ratings'),
    ])
    .groupBy(['month', 'outcome', 'in_group'])
    .orderBy('month')
    .execute();
  return rows.map((row) => ({ ...row, ratings: Number(row.ratings) }));
}
