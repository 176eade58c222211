import { LRUCache } from 'lru-cache';

interface Caching<T> {
  /** The greatest total weight of the cached values; 1 if absent. */
  readonly most?: number;
  /**
   * The weight of a value, a whole number above 0; 1 if absent, and while the value is being read. A value
   * heavier than `most` is not cached.
   */
  readonly weigh?: (value: T) => number;
  /** Since it was begun to be read; until the process ends if absent. */
  readonly ttl_ms?: number;
  /** Whether a value only says why there is none: it is cached for `failureTtl_ms`. */
  readonly isFailure?: (value: T) => boolean;
  readonly failureTtl_ms?: number;
  clock?(): Date;
}

/**
 * Reads once for each key: who asks meanwhile and later gets the same promise, until its time is over. Using
 * it does not prolong that time. What is rejected is not stored: the next one who asks reads again.
 */
export function cachedOnce<T>(
  read: (key: string) => Promise<T>,
  caching: Caching<T> = {},
): (key?: string) => Promise<T> {
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
