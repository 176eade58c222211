import type { Feedback } from '../../evidence/feedback.ts';

export interface FeedbackReads {
  /** Feedback in a state, newest first. */
  list(state: 'open' | 'closed' | 'all', limit: number): Promise<Feedback[]>;
  byId(id: string): Promise<Feedback | undefined>;
  /** How many were received since a time (RFC 3339). */
  countSince(time: string): Promise<number>;
}

/** Writes of feedback inside a transaction. */
export interface FeedbackWrites extends FeedbackReads {
  add(feedback: Feedback): Promise<void>;
  /** Closes one; false if no feedback has the id. */
  close(id: string): Promise<boolean>;
}
