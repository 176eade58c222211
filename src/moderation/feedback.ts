import { findOne } from '../store/query.ts';
import { type Feedback, feedbackTable, reportCategory } from './moderation.ts';
import type { Db } from './schema.ts';

/** Without `kind`, all pass. */
export interface FeedbackFilter {
  readonly state: 'open' | 'all';
  readonly kind?: 'report' | 'feedback' | undefined;
}

const selectFeedback = (db: Db, { state, kind }: FeedbackFilter) =>
  db
    .selectFrom('feedback')
    .$if(state === 'open', (query) => query.where('state', '=', 'open'))
    .$if(kind === 'report', (query) => query.where('category', '=', reportCategory))
    .$if(kind === 'feedback', (query) =>
      query.where(({ eb, or }) => or([eb('category', 'is', null), eb('category', '<>', reportCategory)])),
    );

export const createFeedbackReads = (db: Db) => ({
  async list(filter: FeedbackFilter, limit: number): Promise<Feedback[]> {
    const rows = selectFeedback(db, filter).selectAll().orderBy('received_at', 'desc').orderBy('id', 'desc');
    return (await rows.limit(limit).execute()).map(feedbackTable.decode);
  },
  async count(filter: FeedbackFilter): Promise<number> {
    const counted = selectFeedback(db, filter).select(({ fn }) => fn.countAll<number>().as('feedbacks'));
    return Number((await counted.executeTakeFirstOrThrow()).feedbacks);
  },
  /** `n` counts from 1, the newest. */
  async receivedAt(n: number): Promise<string | undefined> {
    const newest = db.selectFrom('feedback').select('received_at').orderBy('received_at', 'desc').limit(1);
    return (await newest.offset(n - 1).executeTakeFirst())?.received_at;
  },
  byId: (id: string): Promise<Feedback | undefined> => findOne(db, 'feedback', { id }, feedbackTable),
});

export const createFeedbackWrites = (db: Db) => ({
  ...createFeedbackReads(db),
  async add(feedback: Feedback): Promise<void> {
    await db.insertInto('feedback').values(feedbackTable.encode(feedback)).execute();
  },
  /** False if there is none. */
  async close(id: string): Promise<boolean> {
    const closing = db.updateTable('feedback').set({ state: 'closed' }).where('id', '=', id);
    return (await closing.executeTakeFirst()).numUpdatedRows > 0n;
  },
});
