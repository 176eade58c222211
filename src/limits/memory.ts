import { type Limit, type LimitSettings, toBucket, toEffective, toRefusal } from './limit.ts';

/** Callers tracked for one limit; beyond that, the one that called least recently is evicted. */
const mostCallers = 100_000;
/** A call is not refused for a rounding error. */
const tolerance_ms = 0.5;

/** A limit that each process counts for itself. */
export interface MemoryLimit {
  /** Counts one call of a caller; throws rate_limited. */
  take(caller: string, now_ms: number): void;
}

/** A limit in memory. GCRA: for each caller it stores only the time at which the bucket is full again. */
export function createMemoryLimit(limit: Limit, settings: LimitSettings): MemoryLimit {
  const effective = toEffective(limit, settings);
  const { step_ms, capacity_ms } = toBucket(effective);
  const fullAt = new Map<string, number>();
  const store = (caller: string, full_ms: number) => {
    fullAt.delete(caller);
    fullAt.set(caller, full_ms);
    const [oldest] = fullAt.size > mostCallers ? fullAt.keys() : [];
    if (oldest !== undefined) fullAt.delete(oldest);
  };
  return {
    take(caller, now_ms) {
      // After the clock was set back no caller is refused for longer than the bucket takes to refill.
      const stored_ms = fullAt.get(caller) ?? 0;
      const known_ms = Math.min(stored_ms, now_ms + capacity_ms);
      if (known_ms < stored_ms) store(caller, known_ms);
      const full_ms = Math.max(known_ms, now_ms) + step_ms;
      const wait_ms = full_ms - now_ms - capacity_ms;
      if (wait_ms <= tolerance_ms) store(caller, full_ms);
      else if (settings.hasLimits) throw toRefusal(effective, wait_ms);
    },
  };
}
