import { LRUCache } from 'lru-cache';

interface Caching<T> {
  /** Keys cached at most; 1 if absent. */
  readonly most?: number;
  /** Since it was begun to be read; until the process ends if absent. */
  readonly ttl_ms?: number;
  /** Whether a value only says why there is none: it is cached for `failureTtl_ms`. */
  readonly isFailure?: (value: T) => boolean;
  readonly failureTtl_ms?: number;
  clock?(): Date;
}

/**
 * Reads once for each key: who asks meanwhile and later gets the same promise, until its time is over. Using it does not
 * prolong that time. What is rejected is not stored: the next one who asks reads again.
 */
export function cachedOnce<T>(
  read: (key: string) => Promise<T>,
  caching: Caching<T> = {},
): (key?: string) => Promise<T> {
  const { most = 1, ttl_ms = 0, isFailure = () => false, failureTtl_ms = 0 } = caching;
  const { clock = () => new Date() } = caching;
  const perf = { now: () => clock().getTime() };
  const known = new LRUCache<string, Promise<T>>({ max: most, ttl: ttl_ms, ttlResolution: 0, perf });
  const settle = async (key: string, reading: Promise<T>) => {
    const isFailed = await reading.then(isFailure, () => 'rejected' as const);
    if (!isFailed || known.peek(key) !== reading) return;
    if (isFailed === 'rejected') known.delete(key);
    else known.set(key, reading, { ttl: failureTtl_ms });
  };
  return (key = '') => {
    const found = known.get(key);
    if (found) return found;
    const reading = read(key);
    known.set(key, reading);
    void settle(key, reading);
    return reading;
  };
}
