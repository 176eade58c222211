import { type RowOf, withNulls, withoutNulls } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import { type Feedback, reportCategory } from './moderation.ts';

/** Which feedback to read; without `kind` reports and everything else. */
interface FeedbackFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly kind?: 'report' | 'feedback' | undefined;
}

/** `found_it` is 0 or 1. */
export type FeedbackRow = RowOf<Omit<Feedback, 'found_it'>> & { found_it: number | null };

declare module '../store/store.ts' {
  interface Schema {
    feedback: FeedbackRow;
  }
  interface Reads {
    readonly feedback: ReturnType<typeof createFeedbackReads>;
  }
  interface Transaction {
    readonly feedback: ReturnType<typeof createFeedbackWrites>;
  }
}

const decode = ({ found_it, ...row }: FeedbackRow): Feedback => ({
  ...withoutNulls(row),
  ...(found_it !== null && { found_it: found_it === 1 }),
});

/** The feedback that matches. */
export const selectFeedback = (db: Db, { state, kind }: FeedbackFilter) =>
  db
    .selectFrom('feedback')
    .$if(state !== 'all', (query) => query.where('state', '=', state === 'closed' ? 'closed' : 'open'))
    .$if(kind === 'report', (query) => query.where('category', '=', reportCategory))
    .$if(kind === 'feedback', (query) =>
      query.where(({ eb, or }) => or([eb('category', 'is', null), eb('category', '<>', reportCategory)])),
    );

/** Private feedback; only the operator reads it. */
export const createFeedbackReads = (db: Db) => ({
  /** The newest feedback that matches, newest first. */
  async list(filter: FeedbackFilter, limit: number): Promise<Feedback[]> {
    const rows = selectFeedback(db, filter).selectAll().orderBy('received_at', 'desc').orderBy('id', 'desc');
    return (await rows.limit(limit).execute()).map(decode);
  },
  /** How many match. */
  async count(filter: FeedbackFilter): Promise<number> {
    const counted = selectFeedback(db, filter).select(({ fn }) => fn.countAll<number>().as('feedbacks'));
    return Number((await counted.executeTakeFirstOrThrow()).feedbacks);
  },
  /** When the n-th newest was received, from 1; undefined if there are fewer. */
  async receivedAt(n: number): Promise<string | undefined> {
    const newest = db.selectFrom('feedback').select('received_at').orderBy('received_at', 'desc').limit(1);
    return (await newest.offset(n - 1).executeTakeFirst())?.received_at;
  },
  async byId(id: string): Promise<Feedback | undefined> {
    const row = await db.selectFrom('feedback').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decode(row);
  },
});

/** The same inside a transaction, with writes; they change no listing. */
export const createFeedbackWrites = (db: Db) => ({
  ...createFeedbackReads(db),
  async add({ found_it, ...feedback }: Feedback): Promise<void> {
    const row = withNulls(feedback, {
      ...{ category: null, handle: null, rating_id: null, looking_for: null, contact: null },
    });
    await db
      .insertInto('feedback')
      .values({ ...row, found_it: found_it === undefined ? null : Number(found_it) })
      .execute();
  },
  /** Closes one; false if no feedback has the id. */
  async close(id: string): Promise<boolean> {
    const closing = db.updateTable('feedback').set({ state: 'closed' }).where('id', '=', id);
    return (await closing.executeTakeFirst()).numUpdatedRows > 0n;
  },
});
