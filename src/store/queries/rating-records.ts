import { type RatingRecord, type ShortRating, shortRating } from '../../evidence/rating/rating.ts';
import type { Db } from '../engine.ts';
import type { RatingReads } from '../store.ts';
import { isCurrent } from './rating-counts.ts';

/** Ratings of a subject with the response to each, newest first; its columns are null where there is none. */
const recordsOf = (db: Db, subject: string) =>
  db
    .selectFrom('rating')
    .leftJoin('rating_response as response', 'response.rating_id', 'rating.id')
    .selectAll('rating')
    .select([
      'response.text as response_text',
      'response.created_at as responded_at',
      'response.log_index as response_log_index',
    ])
    .where('subject_handle', '=', subject)
    .orderBy('rating.created_at', 'desc')
    .orderBy('rating.id', 'desc');

type StoredRecord = Awaited<ReturnType<ReturnType<typeof recordsOf>['executeTakeFirstOrThrow']>>;

const toResponse = ({ response_text, responded_at, response_log_index }: StoredRecord) =>
  response_text !== null &&
  responded_at !== null &&
  response_log_index !== null && {
    response: { text: response_text, created_at: responded_at, log_index: response_log_index },
  };

/** What the rater and the rated wrote; of a withdrawn rating it is shown no more. */
function toShownContent(row: StoredRecord): Pick<RatingRecord, 'protocol' | 'relationship' | 'response'> {
  const content = JSON.parse(row.content) as Pick<RatingRecord, 'protocol' | 'relationship'>;
  const { protocol, relationship } = content;
  return row.withdrawn_at ? { protocol, relationship } : { ...content, ...toResponse(row) };
}

/** The public form of a stored rating. A withdrawn one is a tombstone: its texts are not shown. */
const toRatingRecord = (row: StoredRecord): RatingRecord => ({
  ...toShownContent(row),
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
});

const toShortRating = (row: StoredRecord) =>
  Object.fromEntries(
    Object.entries(toRatingRecord(row)).filter(([field]) => field in shortRating.shape),
  ) as ShortRating;

/** The newest ratings of a subject in short, each in its last version; tombstones of withdrawn ones included. */
export async function readRecentRatings(db: Db, subject: string, limit: number): Promise<ShortRating[]> {
  const rows = await recordsOf(db, subject).where('superseded_by', 'is', null).limit(limit).execute();
  return rows.map(toShortRating);
}

/** A page of a subject's records (store.ts, RatingPage). */
export async function readRatings(
  db: Db,
  ...[subject, { after, limit, outcome, independent }]: Parameters<RatingReads['list']>
): Promise<RatingRecord[]> {
  let query = recordsOf(db, subject);
  if (outcome !== undefined || independent !== undefined) query = query.where('is_current', '=', isCurrent);
  if (outcome !== undefined) query = query.where('outcome', '=', outcome);
  if (independent !== undefined) query = query.where('independent', '=', independent ? 1 : 0);
  if (after) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('rating.created_at', 'rating.id'), '<', tuple(after.created_at, after.id)),
    );
  }
  return (await query.limit(limit).execute()).map(toRatingRecord);
}
