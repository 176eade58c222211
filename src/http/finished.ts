import type { ChangedHandles } from '../store/store.ts';

/** The content codings of answers. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** How long a finished answer may be cached. An answer that depends on its caller has no policy. */
export interface CachePolicy {
  /** The handles whose change makes it stale; 'all' if any listing's change does. */
  readonly cacheTags: ChangedHandles;
  /** How stale anything else in it may be; a minute if left out. */
  readonly maxAge_ms?: number;
}

/** An answer as bytes, in one coding. */
export interface Finished {
  readonly etag: string;
  readonly body: Buffer<ArrayBuffer>;
  /** Headers that describe the body; a 304 has none of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cachePolicy?: CachePolicy | undefined;
}
