import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.ts';
import { createEpoch } from '../../core/epoch.ts';
import { everyListing } from '../../core/handle.ts';
import { memoize } from '../../core/lazy.ts';
import type { ChangedHandles, Store } from '../../store/store.ts';
import type { CachePolicy } from '../call.ts';

/** Alternating: Node's server sends such a list without looking up its members. */
export type HeaderList = readonly string[];

const sameText = memoize((text) => text, 1000);

export const toHeaderList = (headers: Readonly<Record<string, string>>): HeaderList =>
  Object.entries(headers).flat().map(sameText);

export interface Sendable {
  readonly status: number;
  /** Latin-1, a character for each byte: Node sends it in one write with the headers. */
  readonly bytes: string;
  readonly headers: HeaderList;
  readonly hasId?: boolean;
}

export interface CachedAnswer extends Omit<Sendable, 'status'> {
  readonly notModified?: { readonly etag: string; readonly headers: HeaderList };
}

export interface ReadyAnswer extends Sendable {
  readonly memory: 'pages' | 'answers' | 'refusals';
  /** Without a query. */
  readonly path: string;
  readonly tool?: string | undefined;
}

export type AnswerCache = ReturnType<typeof createAnswerCache>;

interface CacheEntry extends CachedAnswer {
  readonly cacheTags: ChangedHandles;
  readonly endsAt_ms: number;
  /** Read from their file again, they are others. */
  readonly views: Config['views'];
  /** The number of stored answers when this entry was last read. */
  usedAfter: number;
}

/** About what headers and lists take. */
const bookkeeping_bytes = 900;
const noEnd = Number.POSITIVE_INFINITY;
const tagsOf = ({ cacheTags }: Pick<CacheEntry, 'cacheTags'>) =>
  cacheTags === 'all' ? [everyListing] : cacheTags;

function createTagIndex() {
  const keysOf = new Map<string, Set<string>>();
  return {
    keys: (tag: string): Iterable<string> => keysOf.get(tag) ?? [],
    add(tag: string, key: string) {
      keysOf.set(tag, (keysOf.get(tag) ?? new Set()).add(key));
    },
    remove(tag: string, key: string) {
      const keys = keysOf.get(tag);
      if (keys?.delete(key) && keys.size === 0) keysOf.delete(tag);
    },
  };
}

/** Time alone can change an answer, for example when a source stops being new (docs/ratings.md). */
const longestAge_ms = 60_000;

/** Until a listing or view among the tags changes, the views are read again, or the time is over. */
export function createAnswerCache(
  context: {
    readonly store: Pick<Store, 'onChange'>;
    readonly clock: () => Date;
    readonly config: Pick<Config, 'views'>;
  },
  budget_bytes: number,
) {
  const index = createTagIndex();
  const cache = new LRUCache<string, CacheEntry>({
    // LRUCache takes 0 for unlimited.
    maxSize: Math.max(1, budget_bytes),
    sizeCalculation: ({ bytes }, key) => bytes.length + 2 * key.length + bookkeeping_bytes,
    dispose: (entry, key, reason) => {
      if (reason !== 'set') for (const tag of tagsOf(entry)) index.remove(tag, key);
    },
  });
  let stored = 0;
  const { begin, change } = createEpoch({
    drop(tags) {
      for (const tag of [everyListing, ...tags]) for (const key of index.keys(tag)) cache.delete(key);
    },
    clear: () => cache.clear(),
  });
  const stop = context.store.onChange(change);
  const put = (key: string, entry: CacheEntry) => {
    stored += 1;
    cache.delete(key);
    cache.set(key, entry);
    if (cache.has(key)) for (const tag of tagsOf(entry)) index.add(tag, key);
  };
  return {
    get(key: string, now_ms: number): CachedAnswer | undefined {
      const entry = cache.peek(key);
      if (entry && (entry.endsAt_ms < now_ms || entry.views !== context.config.views)) {
        cache.delete(key);
        return undefined;
      }
      // The order of use matters only if another answer was stored meanwhile.
      if (entry && entry.usedAfter !== stored) {
        entry.usedAfter = stored;
        cache.get(key);
      }
      return entry;
    },
    /** To call before anything is read for an answer; stores it, unless a listing changed in between. */
    begin() {
      const mayStore = begin();
      const { views } = context.config;
      return (key: string, answer: CachedAnswer, policy: CachePolicy): void => {
        const { cacheTags, maxAge_ms = cacheTags.length > 0 ? longestAge_ms : noEnd } = policy;
        const endsAt_ms = context.clock().getTime() + maxAge_ms;
        if (mayStore()) put(key, { ...answer, cacheTags, endsAt_ms, views, usedAfter: stored });
      };
    },
    get bytes() {
      return cache.calculatedSize;
    },
    close() {
      stop();
      cache.clear();
    },
  };
}
