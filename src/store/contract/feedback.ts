import type { Feedback } from '../../evidence/feedback.ts';

/** Which feedback to read; without `kind` reports and everything else. */
export interface FeedbackFilter {
  readonly state: 'open' | 'closed' | 'all';
  readonly kind?: 'report' | 'feedback' | undefined;
}

export interface FeedbackReads {
  /** The newest feedback that matches, newest first. */
  list(filter: FeedbackFilter, limit: number): Promise<Feedback[]>;
  /** How many match. */
  count(filter: FeedbackFilter): Promise<number>;
  byId(id: string): Promise<Feedback | undefined>;
  /** When the n-th newest was received, from 1; undefined where there are fewer. */
  receivedAt(n: number): Promise<string | undefined>;
}

/** Writes of feedback inside a transaction. */
export interface FeedbackWrites extends FeedbackReads {
  add(feedback: Feedback): Promise<void>;
  /** Closes one; false if no feedback has the id. */
  close(id: string): Promise<boolean>;
}
