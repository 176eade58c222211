import type { ChangedHandles } from '../store/store.ts';

/** How long a finished answer stays right, where it is the same for every caller. */
export interface CachePolicy {
  /** The listings whose writes change it; 'all' where any may. */
  readonly cacheTags: ChangedHandles;
  /** Left out where nothing but listings is in it; else whatever else is may be shown late by this much. */
  readonly maxAge_ms?: number;
}

/** An answer in its final bytes, in one coding. */
export interface Finished {
  readonly etag: string;
  readonly body: Buffer<ArrayBuffer>;
  /** What describes the bytes; a 304 goes without. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cachePolicy?: CachePolicy | undefined;
}
