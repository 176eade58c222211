import type { RepositoryReader } from '../proof/repository.ts';

/** One look at a handle's repository and when it began. */
interface Kept<T> {
  readonly at_ms: number;
  readonly outcome: Promise<T>;
}

/** An outcome, whether this call made it, and how long until the next one can be made. */
export interface Throttled<T> {
  readonly outcome: T;
  readonly isFresh: boolean;
  readonly wait_s: number;
}

const window_ms = 30_000;
const keptLimit = 10_000;

/** Runs work at most once per key and 30 seconds; in between, and while it runs, the last outcome is answered. */
export interface Throttle<T> {
  run(key: string, now_ms: number, work: () => Promise<T>): Promise<Throttled<T>>;
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
  return {
    async run(key, now_ms, work) {
      const last = kept.get(key);
      const age_ms = last ? now_ms - last.at_ms : window_ms;
      if (last && age_ms >= 0 && age_ms < window_ms)
        return {
          outcome: await last.outcome,
          isFresh: false,
          wait_s: Math.ceil((window_ms - age_ms) / 1000),
        };
      const entry = { at_ms: now_ms, outcome: work() };
      keep(key, entry);
      try {
        return { outcome: await entry.outcome, isFresh: true, wait_s: window_ms / 1000 };
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
