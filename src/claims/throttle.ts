import type { RepositoryReader } from '../repositories/reader.ts';

/** A repository is looked at at most once for a listing in this time. */
export const window_ms = 30_000;
const keptLimit = 10_000;

/** What a look came to, when it began, and whether it was ours or another node's. */
export interface Looked<T> {
  readonly outcome: T;
  readonly at_ms: number;
  readonly isOwn: boolean;
}

/** An outcome, whether this call made it, and how long until the next one can be made. */
export interface Throttled<T> {
  readonly outcome: T;
  readonly isFresh: boolean;
  readonly wait_s: number;
}

interface Kept<T> {
  readonly looked: Promise<Looked<T>>;
  at_ms: number;
}

/** Asks for a look at most once per key and 30 seconds; in between, and while it goes on, the last one is answered. */
export interface Throttle<T> {
  run(key: string, now_ms: number, look: () => Promise<Looked<T>>): Promise<Throttled<T>>;
}

/** A throttle with a memory of its own, bounded: the oldest are forgotten. */
export function createThrottle<T>(): Throttle<T> {
  const kept = new Map<string, Kept<T>>();
  const keep = (key: string, entry: Kept<T>) => {
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.size > keptLimit ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
  };
  const isFresh = ({ at_ms }: Kept<T>, now_ms: number) => Math.abs(now_ms - at_ms) < window_ms;
  const toThrottled = ({ outcome, at_ms }: Looked<T>, now_ms: number): Throttled<T> => {
    const rest_s = Math.ceil((at_ms + window_ms - now_ms) / 1000);
    return { outcome, isFresh: false, wait_s: Math.min(Math.max(rest_s, 1), window_ms / 1000) };
  };
  return {
    async run(key, now_ms, look) {
      const last = kept.get(key);
      if (last && isFresh(last, now_ms)) return toThrottled(await last.looked, now_ms);
      const entry: Kept<T> = { at_ms: now_ms, looked: look() };
      keep(key, entry);
      try {
        const looked = await entry.looked;
        entry.at_ms = looked.at_ms;
        return { ...toThrottled(looked, now_ms), isFresh: looked.isOwn };
      } catch (error) {
        if (kept.get(key) === entry) kept.delete(key);
        throw error;
      }
    },
  };
}

const throttles = new WeakMap<RepositoryReader, Throttle<unknown>>();

/** The throttle of everything that one reader reads. */
export function throttleOf<T>(reader: RepositoryReader): Throttle<T> {
  const known = throttles.get(reader) ?? createThrottle<unknown>();
  throttles.set(reader, known);
  return known as Throttle<T>;
}
