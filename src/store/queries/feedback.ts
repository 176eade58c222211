import type { Db } from '../engine.ts';
import type { FeedbackReads, FeedbackWrites, KeyReads, KeyWrites } from '../store.ts';

/** Reads of private feedback; only the command line calls them. */
export const createFeedbackReads = (db: Db): FeedbackReads => ({
  list: (state, limit) => {
    const all = db.selectFrom('feedback').selectAll().orderBy('received_at', 'desc').limit(limit);
    return (state === 'all' ? all : all.where('state', '=', state)).execute();
  },
  countSince: async (time) => {
    const counted = await db
      .selectFrom('feedback')
      .select(({ fn }) => fn.countAll<number>().as('feedbacks'))
      .where('received_at', '>=', time)
      .executeTakeFirstOrThrow();
    return Number(counted.feedbacks);
  },
  show: (id) => db.selectFrom('feedback').selectAll().where('id', '=', id).executeTakeFirst(),
});

/** Writes of private feedback inside a transaction; they touch no listing. */
export const createFeedbackWrites = (db: Db): FeedbackWrites => ({
  ...createFeedbackReads(db),
  async add(row) {
    await db.insertInto('feedback').values(row).execute();
  },
  async close(id) {
    const closed = await db
      .updateTable('feedback')
      .set({ state: 'closed' })
      .where('id', '=', id)
      .executeTakeFirst();
    return closed.numUpdatedRows > 0n;
  },
});

/** Reads of the key ring that signs challenges. */
export const createKeyReads = (db: Db): KeyReads => ({
  claimKeys: () => db.selectFrom('claim_key').selectAll().orderBy('created_at', 'desc').execute(),
  logSeed: async () => (await db.selectFrom('log_key').select('seed').executeTakeFirst())?.seed,
});

/** Writes of the key ring inside a transaction. */
export const createKeyWrites = (db: Db): KeyWrites => ({
  ...createKeyReads(db),
  async addClaimKey(key) {
    await db.insertInto('claim_key').values(key).execute();
  },
  async addLogSeed(seed, created_at) {
    await db.insertInto('log_key').values({ id: 1, seed, created_at }).execute();
  },
});
