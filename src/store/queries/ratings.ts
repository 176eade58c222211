import type { RatingResponse } from '../../evidence/rating/rating.ts';
import type { RatingSide, RatingSides } from '../../evidence/rating/rating-sides.ts';
import type { RatingReads, RatingWrites } from '../contract/ratings.ts';
import type { Db } from '../engine.ts';
import type { ListingRow, RatingRow } from '../schema.ts';
import { precompileQuery } from './precompiled-query.ts';
import { currentOf, isCurrent, readMonthCounts } from './rating-counts.ts';
import { readRatings } from './rating-records.ts';
import { decodeRating, encodeRating } from './rating-rows.ts';

const readResponse = (db: Db, ratingId: string): Promise<RatingResponse | undefined> =>
  db
    .selectFrom('rating_response')
    .select(['text', 'created_at', 'log_index'])
    .where('rating_id', '=', ratingId)
    .executeTakeFirst();

/** Withdraws the older versions of a rating too: their texts are about the same interaction. */
const withdrawOlder = (db: Db, row: RatingRow) =>
  db
    .updateTable('rating')
    .set({ withdrawn_at: row.withdrawn_at, withdrawn_reason: row.withdrawn_reason })
    .where('source_handle', '=', row.source_handle)
    .where('subject_handle', '=', row.subject_handle)
    .where('interaction_id', '=', row.interaction_id)
    .where('withdrawn_at', 'is', null)
    .execute();

/** One statement, because every submission runs it while all other writers wait. */
const readSideRows = precompileQuery((db, hash: string, subject: string, since: string) =>
  db
    .selectFrom('capability')
    .innerJoin('listing as source', 'source.handle', 'capability.handle')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .leftJoin('listing as subject', (join) => join.on('subject.handle', '=', subject))
    .select(['capability.state as capability_state', 'claim.claimed_at'])
    .select(['source.handle', 'source.repository_key', 'source.endpoint', 'source.withdrawn'])
    .select([
      'subject.handle as subject_handle',
      'subject.repository_key as subject_repository_key',
      'subject.endpoint as subject_endpoint',
      'subject.withdrawn as subject_withdrawn',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('rating')
          .select('rating.id')
          .whereRef('rating.source_handle', '=', 'subject.handle')
          .whereRef('rating.subject_handle', '=', 'source.handle')
          .where('rating.is_current', '=', isCurrent)
          .where('rating.created_at', '>=', since),
      ).as('reciprocal'),
    )
    .where('capability.hash', '=', hash),
);

type SideColumns = Pick<ListingRow, 'repository_key' | 'endpoint' | 'withdrawn'>;

const decodeSide = (handle: string, { repository_key, endpoint, withdrawn }: SideColumns): RatingSide => ({
  handle,
  repository_key: repository_key ?? undefined,
  endpoint: endpoint ?? undefined,
  withdrawn: withdrawn ?? undefined,
});

async function readSides(
  db: Db,
  ...sides: Parameters<RatingReads['sides']>
): Promise<RatingSides | undefined> {
  const [row] = await readSideRows(db, ...sides);
  if (!row) return undefined;
  const { capability_state, claimed_at, handle, subject_handle } = row;
  return {
    capability_state,
    claimed_at: claimed_at ?? undefined,
    source: decodeSide(handle, row),
    subject:
      subject_handle === null
        ? undefined
        : decodeSide(subject_handle, {
            repository_key: row.subject_repository_key,
            endpoint: row.subject_endpoint,
            withdrawn: row.subject_withdrawn,
          }),
    reciprocal: Boolean(row.reciprocal),
  };
}

const readCurrent = precompileQuery((db, source: string, subject: string, interactionId: string) =>
  currentOf(db, subject)
    .selectAll()
    .where('source_handle', '=', source)
    .where('interaction_id', '=', interactionId),
);

const insertRating = precompileQuery((db, row: RatingRow) => db.insertInto('rating').values(row));

/** Reads of ratings over any engine. */
export const createRatingReads = (db: Db): RatingReads => ({
  sides: (...sides) => readSides(db, ...sides),
  byId: async (id) => {
    const row = await db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decodeRating(row);
  },
  current: async (...interaction) => {
    const [row] = await readCurrent(db, ...interaction);
    return row && decodeRating(row);
  },
  response: (ratingId) => readResponse(db, ratingId),
  list: (...page) => readRatings(db, ...page),
  months: (subject, since) => readMonthCounts(db, subject, since),
});

/** Writes of ratings inside a transaction; `touch` receives the rated handle. */
export const createRatingWrites = (db: Db, touch: (handle: string) => void): RatingWrites => ({
  ...createRatingReads(db),
  async insert(rating) {
    touch(rating.subject_handle);
    await insertRating(db, encodeRating(rating));
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
      .where('is_current', '=', isCurrent)
      .returningAll()
      .executeTakeFirst();
    if (!row) return false;
    if (row.withdrawn_at) await withdrawOlder(db, row);
    touch(row.subject_handle);
    return true;
  },
});
