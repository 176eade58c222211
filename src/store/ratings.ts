import type { RatingResponse } from '../evidence/rating.ts';
import type { Db } from './engine.ts';
import { currentOf, readMonthCounts } from './rating-counts.ts';
import { readRatings } from './rating-records.ts';
import type { RatingReads, RatingRow, RatingWrites } from './store.ts';

const readResponse = (db: Db, ratingId: string): Promise<RatingResponse | undefined> =>
  db
    .selectFrom('rating_response')
    .select(['text', 'created_at', 'log_index'])
    .where('rating_id', '=', ratingId)
    .executeTakeFirst();

/** A withdrawn rating takes its older versions with it: their texts are of the same interaction. */
const withdrawOlder = (db: Db, row: RatingRow) =>
  db
    .updateTable('rating')
    .set({ withdrawn_at: row.withdrawn_at, withdrawn_reason: row.withdrawn_reason })
    .where('source_handle', '=', row.source_handle)
    .where('subject_handle', '=', row.subject_handle)
    .where('interaction_id', '=', row.interaction_id)
    .where('withdrawn_at', 'is', null)
    .execute();

/** Reads of ratings over any engine. */
export const createRatingReads = (db: Db): RatingReads => ({
  byId: (id) => db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst(),
  current: (source, subject, interactionId) =>
    currentOf(db, subject)
      .selectAll()
      .where('source_handle', '=', source)
      .where('interaction_id', '=', interactionId)
      .executeTakeFirst(),
  response: (ratingId) => readResponse(db, ratingId),
  list: (...page) => readRatings(db, ...page),
  months: (subject, since) => readMonthCounts(db, subject, since),
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
  async respond({ id, subject_handle }, response) {
    touch(subject_handle);
    await db
      .insertInto('rating_response')
      .values({ rating_id: id, ...response })
      .execute();
  },
  async end(id, how) {
    const row = await db
      .updateTable('rating')
      .set({ ...how, is_current: 0 })
      .where('id', '=', id)
      .where('is_current', '=', 1)
      .returningAll()
      .executeTakeFirst();
    if (!row) return false;
    if (row.withdrawn_at) await withdrawOlder(db, row);
    touch(row.subject_handle);
    return true;
  },
});
