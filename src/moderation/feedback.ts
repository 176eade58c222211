import type { Db, Time } from '../store/store.ts';
import { type Feedback, reportCategory } from './moderation.ts';

/** Which feedback to read; without `kind` reports and everything else. */
interface FeedbackFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly kind?: 'report' | 'feedback' | undefined;
}

interface FeedbackReads {
  /** The newest feedback that matches, newest first. */
  list(filter: FeedbackFilter, limit: number): Promise<Feedback[]>;
  /** How many match. */
  count(filter: FeedbackFilter): Promise<number>;
  byId(id: string): Promise<Feedback | undefined>;
  /** When the n-th newest was received, from 1; undefined where there are fewer. */
  receivedAt(n: number): Promise<string | undefined>;
}

/** Writes of feedback inside a transaction. */
interface FeedbackWrites extends FeedbackReads {
  add(feedback: Feedback): Promise<void>;
  /** Closes one; false if no feedback has the id. */
  close(id: string): Promise<boolean>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly feedback: FeedbackReads;
  }
  interface Transaction {
    readonly feedback: FeedbackWrites;
  }
}

/** Private feedback; only the operator reads it. */
export interface FeedbackRow {
  id: string;
  received_at: Time;
  state: 'open' | 'closed';
  category: string | null;
  handle: string | null;
  rating_id: string | null;
  message: string;
  looking_for: string | null;
  /** 0 or 1. */
  found_it: number | null;
  contact: string | null;
}

declare module '../store/store.ts' {
  interface Schema {
    feedback: FeedbackRow;
  }
}

const decode = (row: FeedbackRow): Feedback => ({
  id: row.id,
  received_at: row.received_at,
  state: row.state,
  message: row.message,
  ...(row.found_it !== null && { found_it: row.found_it === 1 }),
  ...(row.category !== null && { category: row.category }),
  ...(row.handle !== null && { handle: row.handle }),
  ...(row.rating_id !== null && { rating_id: row.rating_id }),
  ...(row.looking_for !== null && { looking_for: row.looking_for }),
  ...(row.contact !== null && { contact: row.contact }),
});

const encode = ({ id, received_at, state, message, ...more }: Feedback): FeedbackRow => ({
  ...{ id, received_at, state, message },
  category: more.category ?? null,
  handle: more.handle ?? null,
  rating_id: more.rating_id ?? null,
  looking_for: more.looking_for ?? null,
  found_it: more.found_it === undefined ? null : Number(more.found_it),
  contact: more.contact ?? null,
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

/** Reads of private feedback. */
export const createFeedbackReads = (db: Db): FeedbackReads => ({
  list: async (filter, limit) => {
    const rows = selectFeedback(db, filter).selectAll().orderBy('received_at', 'desc').orderBy('id', 'desc');
    return (await rows.limit(limit).execute()).map(decode);
  },
  count: async (filter) => {
    const counted = selectFeedback(db, filter).select(({ fn }) => fn.countAll<number>().as('feedbacks'));
    return Number((await counted.executeTakeFirstOrThrow()).feedbacks);
  },
  receivedAt: async (n) => {
    const newest = db.selectFrom('feedback').select('received_at').orderBy('received_at', 'desc');
    return (
      await newest
        .limit(1)
        .offset(n - 1)
        .executeTakeFirst()
    )?.received_at;
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
