import { sql } from 'kysely';
import type { ReceiptKey, SeenReceiptKey } from '../claims/receipt-keys.ts';
import { currentFlag, precompileQuery } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import { readMonthCounts, readRatingCells } from './counts.ts';
import type { RatingResponse } from './rating.ts';
import {
  readIdentities,
  readRatedBy,
  readRatings,
  readSides,
  settlePairsOf,
  writeHolder,
  writeIdentities,
  writeSourceRoot,
} from './records.ts';
import {
  decodeContent,
  decodeRating,
  encodeRating,
  type RatingReads,
  type RatingRow,
  type RatingWrites,
  type SeenKeys,
  type SpentProof,
} from './table.ts';

const readKeyRows = precompileQuery((db, handle: string) =>
  db.selectFrom('receipt_key').selectAll().where('handle', '=', handle).orderBy('valid_from').orderBy('kid'),
);

/** Keys for receipts of a listing, oldest first. */
export const readReceiptKeys = async (db: Db, handle: string): Promise<ReceiptKey[]> =>
  (await readKeyRows(db, handle)).map(({ kid, jwk, valid_from, valid_until, kind, place, commit_id }) => ({
    ...{ kid, jwk: JSON.parse(jwk) as ReceiptKey['jwk'], valid_from },
    ...(valid_until !== null && { valid_until }),
    ...{ kind, place },
    ...(commit_id !== null && { commit: commit_id }),
  }));

type KeyLine = Pick<SeenReceiptKey, 'kid' | 'jwk'>;
const isSame = (a: KeyLine, b: KeyLine) => a.kid === b.kid && JSON.stringify(a.jwk) === JSON.stringify(b.jwk);

/** Ends keys that are gone, or that have another value under their name. */
const endKeys = (db: Db, handle: string, { kids, at }: { readonly kids: string[]; readonly at: string }) =>
  db
    .updateTable('receipt_key')
    .set({ valid_until: at })
    .where('handle', '=', handle)
    .where('valid_until', 'is', null)
    .where('kid', 'in', kids)
    .execute();

const mostKeys = 50;

/** Keeps the newest fifty keys, those that are published first: who publishes others every minute loses only their own old ones. */
const deleteOldest = (db: Db, handle: string) =>
  db
    .deleteFrom('receipt_key')
    .where('handle', '=', handle)
    .where(({ eb, selectFrom, refTuple }) =>
      eb(
        refTuple('kid', 'valid_from'),
        'in',
        selectFrom('receipt_key as other')
          .select(['other.kid', 'other.valid_from'])
          .where('other.handle', '=', handle)
          .orderBy(sql`other.valid_until is null`, 'desc')
          .orderBy('other.valid_from', 'desc')
          .orderBy('other.kid')
          .limit(1_000_000)
          .offset(mostKeys)
          .$asTuple('kid', 'valid_from'),
      ),
    )
    .execute();

const addKeys = (db: Db, handle: string, { keys, at }: Pick<SeenKeys, 'keys' | 'at'>) =>
  db
    .insertInto('receipt_key')
    .values(
      keys.map(({ kid, jwk, kind, place, commit }) => ({
        ...{ handle, kid, jwk: JSON.stringify(jwk), valid_from: at, valid_until: null },
        ...{ kind, place, commit_id: commit ?? null },
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['handle', 'kid', 'valid_from']).doUpdateSet(({ ref }) => ({
        jwk: ref('excluded.jwk'),
        valid_until: null,
        ...{ kind: ref('excluded.kind'), place: ref('excluded.place'), commit_id: ref('excluded.commit_id') },
      })),
    )
    .execute();

/**
 * Brings the keys of a listing up to date (contract/ratings.ts); writes nothing where they are the same. Returns whether
 * that changed any.
 */
async function writeReceiptKeys(
  db: Db,
  handle: string,
  { keys, at, isComplete }: SeenKeys,
): Promise<boolean> {
  const live = (await readReceiptKeys(db, handle)).filter(({ valid_until }) => valid_until === undefined);
  const added = keys.filter((key) => !live.some((one) => isSame(one, key)));
  const isGone = (key: ReceiptKey) =>
    added.some(({ kid }) => kid === key.kid) || (isComplete && !keys.some((one) => isSame(one, key)));
  const kids = live.filter(isGone).map(({ kid }) => kid);
  if (kids.length > 0) await endKeys(db, handle, { kids, at });
  if (added.length > 0) {
    await addKeys(db, handle, { keys: added, at });
    await deleteOldest(db, handle);
  }
  return kids.length + added.length > 0;
}

/** Uses up a proof; the newest version that has it keeps it when an older one is erased. False if another rating used it. */
async function spendProof(db: Db, { digest, rating_id, versions }: SpentProof): Promise<boolean> {
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
}

/** Forgets the proof of an erased rating. */
const forgetProof = (db: Db, ratingId: string) =>
  db.deleteFrom('spent_proof').where('rating_id', '=', ratingId).execute();

async function readResponse(db: Db, ratingId: string): Promise<RatingResponse | undefined> {
  const row = await db
    .selectFrom('rating_response')
    .select(['text', 'created_at', 'log_index', 'erased_at'])
    .where('rating_id', '=', ratingId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { erased_at, ...response } = row;
  return { ...response, ...(erased_at && { erased_at }) };
}

/**
 * What follows from withdrawing a rating: its older versions, whose texts are about the same interaction, are withdrawn too,
 * and those in the other direction are no pair with it. Returns the handles whose ratings changed.
 */
async function followWithdrawal(db: Db, row: RatingRow): Promise<string[]> {
  await db
    .updateTable('rating')
    .set({ withdrawn_at: row.withdrawn_at, withdrawn_by: row.withdrawn_by })
    .where('source_handle', '=', row.source_handle)
    .where('subject_handle', '=', row.subject_handle)
    .where('interaction_id', '=', row.interaction_id)
    .where('withdrawn_at', 'is', null)
    .execute();
  return settlePairsOf(db, row);
}

const readVersions = precompileQuery((db, source: string, subject: string, interactionId: string) =>
  db
    .selectFrom('rating')
    .selectAll()
    .where('source_handle', '=', source)
    .where('subject_handle', '=', subject)
    .where('interaction_id', '=', interactionId)
    .where('erased_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id'),
);

const readCurrentWith = (db: Db, handle: string) =>
  db
    .selectFrom('rating')
    .selectAll()
    .where('is_current', '=', currentFlag)
    .where(({ eb, or }) => or([eb('source_handle', '=', handle), eb('subject_handle', '=', handle)]))
    .orderBy('id')
    .execute();

const insertRating = precompileQuery((db, row: RatingRow) => db.insertInto('rating').values(row));

/** Reads of ratings over any engine. */
export const createRatingReads = (db: Db): RatingReads => ({
  sides: (...sides) => readSides(db, ...sides),
  byId: async (id) => {
    const row = await db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decodeRating(row);
  },
  receiptKeys: (handle) => readReceiptKeys(db, handle),
  currentWith: async (handle) => (await readCurrentWith(db, handle)).map(decodeRating),
  versions: async (...interaction) => (await readVersions(db, ...interaction)).map(decodeRating),
  identities: (source, subject) => readIdentities(db, source, subject),
  response: (ratingId) => readResponse(db, ratingId),
  list: (...page) => readRatings(db, ...page),
  cells: (subject, now) => readRatingCells(db, subject, now),
  months: (subject, period) => readMonthCounts(db, subject, period),
});

/** What is left of a rating says nothing that its source sent but the outcome, the protocol and the relation. */
async function eraseRating(
  db: Db,
  id: string,
  { at, by }: { readonly at: string; readonly by: number },
): Promise<string[]> {
  const row = await db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) return [];
  const { protocol, relationship } = decodeContent(row);
  const emptied = { content: JSON.stringify({ protocol, relationship }), content_digest: '', score: null };
  const forgotten = { proof_commitment: null, proof_salt: null };
  const ended = { withdrawn_at: row.withdrawn_at ?? at, withdrawn_by: row.withdrawn_by ?? by };
  await db
    .updateTable('rating')
    .set({
      ...emptied,
      ...forgotten,
      interaction_id: 'erased',
      ...ended,
      erased_at: at,
      is_current: 0,
    })
    .where('id', '=', id)
    .execute();
  await forgetProof(db, id);
  const isWithdrawn = row.superseded_by === null && row.withdrawn_at === null;
  const changed = isWithdrawn ? await followWithdrawal(db, { ...row, ...ended }) : [];
  return [row.subject_handle, ...changed];
}

async function eraseResponse(db: Db, ratingId: string, at: string): Promise<string | undefined> {
  await db
    .updateTable('rating_response')
    .set({ text: '', erased_at: at })
    .where('rating_id', '=', ratingId)
    .where('erased_at', 'is', null)
    .execute();
  const rated = db.selectFrom('rating').select('subject_handle').where('id', '=', ratingId);
  return (await rated.executeTakeFirst())?.subject_handle;
}

/** Writes of ratings inside a transaction; `touch` receives the rated handle. */
export const createRatingWrites = (db: Db, touch: (handle: string) => void): RatingWrites => ({
  ...createRatingReads(db),
  async insert(rating) {
    touch(rating.subject_handle);
    await insertRating(db, encodeRating(rating));
  },
  async putReceiptKeys(handle, seen) {
    if (await writeReceiptKeys(db, handle, seen)) touch(handle);
  },
  spendProof: (proof) => spendProof(db, proof),
  async putIdentities(identities) {
    // What a source's record names is shown beside its ratings.
    const sources = await writeIdentities(db, identities);
    for (const subject of await readRatedBy(db, sources)) touch(subject);
  },
  async settlePairs(rating) {
    for (const handle of await settlePairsOf(db, encodeRating(rating))) touch(handle);
    const row = db.selectFrom('rating').select('reciprocal').where('id', '=', rating.id);
    return (await row.executeTakeFirst())?.reciprocal === 1;
  },
  async setSourceRoot(handle, change) {
    for (const subject of new Set(await writeSourceRoot(db, handle, change))) touch(subject);
  },
  async addHolder(handle, proved) {
    for (const changed of await writeHolder(db, handle, proved)) touch(changed);
  },
  async respond({ id, subject_handle }, response) {
    touch(subject_handle);
    await db
      .insertInto('rating_response')
      .values({ rating_id: id, ...response, erased_at: null })
      .execute();
  },
  async erase(id, erasure) {
    const changed = await eraseRating(db, id, erasure);
    for (const handle of changed) touch(handle);
    return changed[0];
  },
  async eraseResponse(ratingId, at) {
    const handle = await eraseResponse(db, ratingId, at);
    if (handle !== undefined) touch(handle);
    return handle;
  },
  async setVoided(id, at) {
    const row = await db.selectFrom('rating').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const counts = at === undefined && row.superseded_by === null && row.withdrawn_at === null;
    const change = { voided_at: at ?? null, is_current: counts ? 1 : 0 };
    await db.updateTable('rating').set(change).where('id', '=', id).execute();
    touch(row.subject_handle);
    return row.subject_handle;
  },
  async end(id, how) {
    const row = await db
      .updateTable('rating')
      .set({ ...how, is_current: 0 })
      .where('id', '=', id)
      .where('superseded_by', 'is', null)
      .where('withdrawn_at', 'is', null)
      .returningAll()
      .executeTakeFirst();
    if (!row) return false;
    if (row.withdrawn_at) for (const changed of await followWithdrawal(db, row)) touch(changed);
    touch(row.subject_handle);
    return true;
  },
});
