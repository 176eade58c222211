import { hash } from 'node:crypto';
import type { RecordedIdentity } from '../core/identity.ts';
import { currentFlag, precompileQuery } from '../store/query.ts';
import { readMonthCounts } from './counts.ts';
import { readIdentities, rederive, writeIdentities } from './derive.ts';
import type { MonthCount, RatingRecord, RatingResponse } from './rating.ts';
import { type RatingPage, readRatedBy, readRatings, readSides, writeHolder } from './records.ts';
import type { RatingSides } from './rules.ts';
import type { Db } from './schema.ts';
import {
  decodeContent,
  decodeRating,
  encodeRating,
  type Rating,
  type RatingRow,
  responseTable,
} from './table.ts';

/** Older versions too, because their texts are about the same interaction. */
async function followWithdrawal(db: Db, row: RatingRow): Promise<string[]> {
  await db
    .updateTable('rating')
    .set({ withdrawn_at: row.withdrawn_at, withdrawn_by: row.withdrawn_by })
    .where('source_handle', '=', row.source_handle)
    .where('subject_handle', '=', row.subject_handle)
    .where('interaction_id', '=', row.interaction_id)
    .where('withdrawn_at', 'is', null)
    .execute();
  return rederive(db, { half: row });
}

const readVersions = precompileQuery((db: Db, source: string, subject: string, interactionId: string) =>
  db
    .selectFrom('rating')
    .selectAll()
    .where('source_handle', '=', source)
    .where('subject_handle', '=', subject)
    .where('interaction_id', '=', interactionId)
    .where('erased_at', 'is', null)
    .orderBy('log_index'),
);

/** Of an erased rating that was voided; no rater's id has a space. */
const voidedInteraction = (source: string, subject: string, interactionId: string): string =>
  `voided ${hash('sha256', [source, subject, interactionId].join('\n'))}`;

const readVoided = precompileQuery(
  (db: Db, source: string, subject: string, interactionId: string, erased: string) =>
    db
      .selectFrom('rating')
      .select('id')
      .where('source_handle', '=', source)
      .where('subject_handle', '=', subject)
      .where('interaction_id', 'in', [interactionId, erased])
      .where('voided_at', 'is not', null)
      .limit(1),
);

const insertRating = precompileQuery((db: Db, row: RatingRow) => db.insertInto('rating').values(row));

const readRow = (db: Db, id: string): Promise<RatingRow | undefined> =>
  db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst();

const derivedColumns = [
  'id',
  'log_index',
  'source',
  'source_identity',
  'is_current',
  'first_created_at',
  'pair_until',
  'new_until',
  'source_ended_at',
] as const;
export type DerivedRow = Pick<RatingRow, (typeof derivedColumns)[number]>;

export const createRatingReads = (db: Db) => ({
  sides: (capabilityHash: string, subject: string): Promise<RatingSides | undefined> =>
    readSides(db, capabilityHash, subject),
  async byId(id: string): Promise<Rating | undefined> {
    const row = await readRow(db, id);
    return row && decodeRating(row);
  },
  async currentWith(handle: string): Promise<Rating[]> {
    const current = db.selectFrom('rating').selectAll().where('is_current', '=', currentFlag);
    const rows = current.where(({ or }) => or({ source_handle: handle, subject_handle: handle }));
    return (await rows.orderBy('id').execute()).map(decodeRating);
  },
  /** In the order of the log, with withdrawn and without erased ones. */
  versions: async (source: string, subject: string, interactionId: string): Promise<Rating[]> =>
    (await readVersions(db, source, subject, interactionId)).map(decodeRating),
  /** Also if the rating was withdrawn or erased. */
  isVoided: async (source: string, subject: string, interactionId: string): Promise<boolean> => {
    const erased = voidedInteraction(source, subject, interactionId);
    return (await readVoided(db, source, subject, interactionId, erased)).length > 0;
  },
  identities: (subject: string, by: Parameters<typeof readIdentities>[2]) => readIdentities(db, subject, by),
  async response(ratingId: string): Promise<RatingResponse | undefined> {
    const rows = db.selectFrom('rating_response').select(['text', 'created_at', 'log_index']);
    const row = await rows.where('rating_id', '=', ratingId).executeTakeFirst();
    return row && responseTable.decode(row);
  },
  list: (subject: string, page: RatingPage): Promise<RatingRecord[]> => readRatings(db, subject, page),
  /** Newest first, for the audit. */
  derived: (subject: string, { after, limit }: Pick<RatingPage, 'after' | 'limit'>): Promise<DerivedRow[]> =>
    db
      .selectFrom('rating')
      .select([...derivedColumns])
      .where('subject_handle', '=', subject)
      .$if(after !== undefined, (rows) => rows.where('log_index', '<', after ?? 0))
      .orderBy('log_index', 'desc')
      .limit(limit)
      .execute(),
  /** Oldest month first, of the newest 5,000 ratings. */
  months: (
    subject: string,
    period: { readonly since: string; readonly now: string },
  ): Promise<MonthCount[]> => readMonthCounts(db, subject, period),
});

async function eraseRating(db: Db, id: string, { at, by }: { readonly at: string; readonly by: number }) {
  const row = await readRow(db, id);
  if (!row) return [];
  const { protocol, relationship } = decodeContent(row);
  const { source_handle, subject_handle } = row;
  const interaction_id =
    row.voided_at === null ? 'erased' : voidedInteraction(source_handle, subject_handle, row.interaction_id);
  const emptied = { content: JSON.stringify({ protocol, relationship }), content_digest: '', score: null };
  const forgotten = { proof_commitment: null, proof_salt: null };
  const ended = { withdrawn_at: row.withdrawn_at ?? at, withdrawn_by: row.withdrawn_by ?? by };
  await db
    .updateTable('rating')
    .set({ ...emptied, ...forgotten, interaction_id, ...ended, erased_at: at })
    .where('id', '=', id)
    .execute();
  await db.deleteFrom('spent_proof').where('rating_id', '=', id).execute();
  const isFirstEnd = row.superseded_by === null && row.withdrawn_at === null;
  const erased = { ...row, ...ended };
  const changed = isFirstEnd ? followWithdrawal(db, erased) : rederive(db, { rating: id });
  return [row.subject_handle, ...(await changed)];
}

export function createRatingWrites(db: Db, touch: (handle: string) => void) {
  const touchAll = (handles: Iterable<string>) => {
    for (const handle of new Set(handles)) touch(handle);
  };
  return {
    ...createRatingReads(db),
    /** Throws if the interaction has a current rating. */
    async insert(rating: Rating): Promise<void> {
      touch(rating.subject_handle);
      await insertRating(db, encodeRating(rating));
    },
    /**
     * SHA-256 (hex) of the proof's identity. The newest version takes a proof over, and keeps it if an older
     * one is erased. False if another rating used it.
     */
    async spendProof(digest: string, rating_id: string, versions: readonly string[]): Promise<boolean> {
      const used = await db
        .insertInto('spent_proof')
        .values({ digest, rating_id })
        .onConflict((conflict) =>
          conflict
            .column('digest')
            .doUpdateSet({ rating_id })
            .where('spent_proof.rating_id', 'in', [rating_id, ...versions]),
        )
        .returning('rating_id')
        .executeTakeFirst();
      return used !== undefined;
    },
    async putIdentities(identities: readonly RecordedIdentity[]): Promise<void> {
      // Ratings by a listing show what its record names (`overlap_stated_later`).
      touchAll(await readRatedBy(db, await writeIdentities(db, identities)));
    },
    /** Whether the new rating is reciprocal. */
    async settlePairs(rating: Rating): Promise<boolean> {
      touchAll(await rederive(db, { half: encodeRating(rating) }));
      const row = db.selectFrom('rating').select('reciprocal').where('id', '=', rating.id);
      return (await row.executeTakeFirst())?.reciprocal === 1;
    },
    async followClaim(handle: string, at: string): Promise<void> {
      touchAll(await rederive(db, { source: handle, at }));
    },
    async addHolder(handle: string, proved: { readonly root: string; readonly at: string }): Promise<void> {
      touchAll(await writeHolder(db, handle, proved));
    },
    /** Throws if there is a response. */
    async respond(
      { id, subject_handle }: Pick<Rating, 'id' | 'subject_handle'>,
      response: Pick<RatingResponse, 'text' | 'created_at' | 'log_index'>,
    ): Promise<void> {
      touch(subject_handle);
      await db
        .insertInto('rating_response')
        .values(responseTable.encode({ rating_id: id, ...response }))
        .execute();
    },
    /** The newest version takes its older ones with it, unless it was withdrawn. */
    async erase(id: string, erasure: { readonly at: string; readonly by: number }): Promise<void> {
      touchAll(await eraseRating(db, id, erasure));
    },
    async eraseResponse(ratingId: string, at: string): Promise<void> {
      await db
        .updateTable('rating_response')
        .set({ text: '', erased_at: at })
        .where('rating_id', '=', ratingId)
        .where('erased_at', 'is', null)
        .execute();
      const row = await readRow(db, ratingId);
      if (row) touch(row.subject_handle);
    },
    /** Without `at`, ends the voiding. Undefined for a rating that does not exist, or cannot be voided. */
    async setVoided(id: string, at: string | undefined): Promise<string | undefined> {
      const row = await readRow(db, id);
      if (!row || (at !== undefined && row.is_current === 0)) return undefined;
      await db
        .updateTable('rating')
        .set({ voided_at: at ?? null })
        .where('id', '=', id)
        .execute();
      await rederive(db, { rating: id });
      touch(row.subject_handle);
      return row.subject_handle;
    },
    /** A withdrawal takes older versions along. False if the rating has ended. */
    async end(
      id: string,
      how:
        | { readonly superseded_by: string }
        | { readonly withdrawn_at: string; readonly withdrawn_by: number },
    ): Promise<boolean> {
      const row = await db
        .updateTable('rating')
        .set(how)
        .where('id', '=', id)
        .where('superseded_by', 'is', null)
        .where('withdrawn_at', 'is', null)
        .returningAll()
        .executeTakeFirst();
      if (!row) return false;
      touchAll(await (row.withdrawn_at ? followWithdrawal(db, row) : rederive(db, { rating: id })));
      touch(row.subject_handle);
      return true;
    },
  };
}

const selectNative = precompileQuery((db: Db, handle: string) =>
  db.selectNoFrom(({ exists, selectFrom }) => [
    selectFrom('claim').select('state').where('handle', '=', handle).as('state'),
    exists(
      selectFrom('rating')
        .select('id')
        .where('subject_handle', '=', handle)
        .where('is_current', '=', currentFlag),
    ).as('is_rated'),
  ]),
);

export async function readNativeFacts(db: Db, handle: string) {
  const [row] = await selectNative(db, handle);
  return { state: row?.state ?? undefined, isRated: Boolean(row?.is_rated) };
}
