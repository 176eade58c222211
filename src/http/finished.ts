import type { ChangedHandles } from '../store/store.ts';

/** How long a finished answer stays right, where it is the same for every caller. */
export interface Lasting {
  /** The listings whose writes change it; 'all' where any may. */
  readonly about: ChangedHandles;
  /** Left out where nothing but listings is in it; else whatever else is may be shown late by this much. */
  readonly longest_ms?: number;
}

/** An answer in its final bytes, in one coding. */
export interface Finished {
  readonly etag: string;
  readonly body: Buffer<ArrayBuffer>;
  /** What describes the bytes; a 304 goes without. */
  readonly headers: Readonly<Record<string, string>>;
  readonly lasting?: Lasting | undefined;
}
