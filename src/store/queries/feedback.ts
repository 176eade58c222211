import type { Feedback } from '../../evidence/feedback.ts';
import type { FeedbackReads, FeedbackWrites } from '../contract/feedback.ts';
import type { Db } from '../engine.ts';
import type { FeedbackRow } from '../schema/feedback.ts';

const decode = (row: FeedbackRow): Feedback => ({
  id: row.id,
  received_at: row.received_at,
  state: row.state,
  message: row.message,
  ...(row.found_it !== null && { found_it: row.found_it === 1 }),
  ...(row.category !== null && { category: row.category }),
  ...(row.handle !== null && { handle: row.handle }),
  ...(row.looking_for !== null && { looking_for: row.looking_for }),
  ...(row.contact !== null && { contact: row.contact }),
});

const encode = ({ id, received_at, state, message, ...more }: Feedback): FeedbackRow => ({
  ...{ id, received_at, state, message },
  category: more.category ?? null,
  handle: more.handle ?? null,
  looking_for: more.looking_for ?? null,
  found_it: more.found_it === undefined ? null : Number(more.found_it),
  contact: more.contact ?? null,
});

/** Reads of private feedback. */
export const createFeedbackReads = (db: Db): FeedbackReads => ({
  list: async (state, limit) => {
    const all = db.selectFrom('feedback').selectAll().orderBy('received_at', 'desc').limit(limit);
    const rows = await (state === 'all' ? all : all.where('state', '=', state)).execute();
    return rows.map(decode);
  },
  countSince: async (time) => {
    const counted = await db
      .selectFrom('feedback')
      .select(({ fn }) => fn.countAll<number>().as('feedbacks'))
      .where('received_at', '>=', time)
      .executeTakeFirstOrThrow();
    return Number(counted.feedbacks);
  },
  byId: async (id) => {
    const row = await db.selectFrom('feedback').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decode(row);
  },
});

/** Writes of private feedback inside a transaction; they change no listing. */
export const createFeedbackWrites = (db: Db): FeedbackWrites => ({
  ...createFeedbackReads(db),
  async add(feedback) {
    await db.insertInto('feedback').values(encode(feedback)).execute();
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
