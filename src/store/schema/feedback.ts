import type { Time } from './columns.ts';

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
