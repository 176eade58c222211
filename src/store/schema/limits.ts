/** A token bucket of a limit that all nodes share (limits/limit.ts). */
export interface LimitBucketRow {
  /** Name of the limit and what it counts; a network only as that day's HMAC. */
  key: string;
  /** The day whose key made the network's HMAC; null where `key` names no network. */
  day: string | null;
  /** When it is full again, in microseconds since 1970; from then on the row can be deleted. */
  full_at: number;
}

/** Keys that networks are pseudonymized with for one day, base64. */
export interface LimitKeyRow {
  day: string;
  secret: string;
}
