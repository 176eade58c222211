import type { Db } from '../engine.ts';
import type { FeedbackReads, FeedbackWrites } from '../store.ts';

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
