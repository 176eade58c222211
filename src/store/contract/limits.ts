/** A call against a token bucket. */
export interface BucketCall {
  readonly key: string;
  /** The day whose key made the network's HMAC in `key`; undefined where the key names no network. */
  readonly day: string | undefined;
  /** What the call costs and what the bucket holds, as the time that it takes to refill. */
  readonly step_ms: number;
  readonly capacity_ms: number;
}

export interface LimitReads {
  /** The key that networks are pseudonymized with on a day, base64. */
  dailyKey(day: string): Promise<string | undefined>;
}

/** Writes of limits inside a transaction. */
export interface LimitWrites extends LimitReads {
  /** Takes those calls that fit, each from another bucket; returns for each 0, or the ms until it would fit. */
  take(calls: readonly BucketCall[], now_ms: number): Promise<number[]>;
  /** Stores a day's key unless another node was first; returns the key that is stored. */
  addDailyKey(day: string, secret: string): Promise<string>;
  /** Deletes full buckets, and networks and keys of days before today. */
  purge(now_ms: number, today: string): Promise<void>;
}
