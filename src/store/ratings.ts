import type { NativeSignals } from '../evidence/listing-document.ts';
import type { outcomes, RatingCounts, RatingRecord } from '../evidence/rating.ts';
import type { Db } from './engine.ts';
import type { RatingReads, RatingRow, RatingWrites } from './store.ts';

const noCounts = (): RatingCounts => ({
  ratings: 0,
  sources: 0,
  control_roots: 0,
  outcomes: { succeeded: 0, partial: 0, failed: 0, refused: 0, unreachable: 0 },
  scores: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
});

const currentOf = (db: Db, subject: string) =>
  db.selectFrom('rating').where('subject_handle', '=', subject).where('is_current', '=', 1);

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

/** Counts of a listing's current ratings, split by independence; nothing is averaged. */
export async function readNativeCounts(
  db: Db,
  subject: string,
): Promise<Pick<NativeSignals, 'ratings' | 'independent' | 'related' | 'flags'>> {
  const independent = await countGroup(db, subject, 1);
  const related = await countGroup(db, subject, 0);
  const ratings = independent.ratings + related.ratings;
  return { ratings, independent, related, flags: ratings > 0 ? await countFlags(db, subject) : {} };
}

/** The public form of a stored rating. A withdrawn one is a tombstone: its texts are not shown. */
export function toRatingRecord(row: RatingRow): RatingRecord {
  const content = JSON.parse(row.content) as Partial<RatingRecord>;
  const { comment: _comment, evidence: _evidence, operation: _operation, tags: _tags, ...bare } = content;
  return {
    ...((row.withdrawn_at ? bare : content) as Pick<RatingRecord, 'protocol' | 'relationship'>),
    id: row.id,
    subject_handle: row.subject_handle,
    source_handle: row.source_handle,
    source_root: row.source_root,
    interaction_id: row.interaction_id,
    interaction_at: row.interaction_at,
    outcome: row.outcome as RatingRecord['outcome'],
    ...(row.score !== null && { score: row.score }),
    created_at: row.created_at,
    flags: JSON.parse(row.flags) as RatingRecord['flags'],
    independent: row.independent === 1,
    log_index: row.log_index,
    ...(row.supersedes && { supersedes: row.supersedes }),
    ...(row.superseded_by && { superseded_by: row.superseded_by }),
    ...(row.withdrawn_at && { withdrawn_at: row.withdrawn_at }),
  };
}

/** Ratings of a subject that were not superseded, newest first; tombstones of withdrawn ones included. */
export async function readRatings(
  db: Db,
  subject: string,
  after: { created_at: string; id: string } | undefined,
  limit: number,
): Promise<RatingRecord[]> {
  let query = db
    .selectFrom('rating')
    .selectAll()
    .where('subject_handle', '=', subject)
    .where('superseded_by', 'is', null);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(after.created_at, after.id)),
    );
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(toRatingRecord);
}

/** Reads of ratings over any engine. */
export const createRatingReads = (db: Db): RatingReads => ({
  byId: (id) => db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst(),
  current: (source, subject, interactionId) =>
    currentOf(db, subject)
      .selectAll()
      .where('source_handle', '=', source)
      .where('interaction_id', '=', interactionId)
      .executeTakeFirst(),
  list: (subject, after, limit) => readRatings(db, subject, after, limit),
  rated: async (source, subject, since) => {
    const row = await currentOf(db, subject)
      .select('id')
      .where('source_handle', '=', source)
      .where('created_at', '>=', since)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },
});

/** Writes of ratings inside a transaction; `touch` learns the rated handle. */
export const createRatingWrites = (db: Db, touch: (handle: string) => void): RatingWrites => ({
  ...createRatingReads(db),
  async insert(row) {
    touch(row.subject_handle);
    await db.insertInto('rating').values(row).execute();
  },
  async end(id, how) {
    const row = await db
      .updateTable('rating')
      .set({ ...how, is_current: 0 })
      .where('id', '=', id)
      .where('is_current', '=', 1)
      .returning('subject_handle')
      .executeTakeFirst();
    if (row) touch(row.subject_handle);
    return row !== undefined;
  },
});
