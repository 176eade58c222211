import { LRUCache } from 'lru-cache';

interface Caching<T> {
  /** Total weight; default 1. */
  readonly most?: number;
  /** A whole number above 0, default 1. What is heavier than `most` is not cached. */
  readonly weigh?: (value: T) => number;
  /** From the start of a read; unlimited by default. */
  readonly ttl_ms?: number;
  /** Cached for `failureTtl_ms` from the end of the read. */
  readonly isFailure?: (value: T) => boolean;
  readonly failureTtl_ms?: number;
  clock?(): Date;
}

/**
 * Callers get the same promise until it expires or is displaced. A hit extends no lifetime, and no
 * rejection is cached.
 */
export function cachedOnce<T>(read: (key: string) => Promise<T>, caching: Caching<T> = {}) {
  const { most = 1, weigh = () => 1, ttl_ms = 0, isFailure = () => false, failureTtl_ms = 0 } = caching;
  const { clock = () => new Date() } = caching;
  const perf = { now: () => clock().getTime() };
  const known = new LRUCache<string, Promise<T>>({ maxSize: most, ttl: ttl_ms, ttlResolution: 0, perf });
  const settle = async (key: string, reading: Promise<T>, start: number) => {
    const read = await reading.then(
      (value) => ({ size: weigh(value), ...(isFailure(value) ? { ttl: failureTtl_ms } : { start }) }),
      () => undefined,
    );
    if (known.peek(key) !== reading) return;
    known.delete(key);
    if (read) known.set(key, reading, read);
  };
  return (key = '') => {
    const found = known.get(key);
    if (found) return found;
    const reading = read(key);
    const start = perf.now();
    known.set(key, reading, { size: 1, start });
    void settle(key, reading, start);
    return reading;
  };
}
