import { type Limit, type LimitSettings, toBucket, toEffective, toRefusal } from './limit.ts';

/** Callers remembered for a limit; beyond them the one that was quiet longest starts anew. */
const remembered = 100_000;
/** Fractions of a millisecond must not cost a call. */
const tolerance_ms = 0.5;

/** One limit of this process, for reads. */
export interface MemoryLimit {
  /** Takes one call of `who`; throws rate_limited. */
  take(who: string, now_ms: number): void;
}

/** A limit kept in this process's memory: GCRA, one number a caller, the moment its bucket is full again. */
export function createMemoryLimit(limit: Limit, settings: LimitSettings): MemoryLimit {
  const effective = toEffective(limit, settings);
  const { step_ms, capacity_ms } = toBucket(effective);
  const fullAt = new Map<string, number>();
  const keep = (who: string, full_ms: number) => {
    fullAt.delete(who);
    fullAt.set(who, full_ms);
    const [oldest] = fullAt.size > remembered ? fullAt.keys() : [];
    if (oldest !== undefined) fullAt.delete(oldest);
  };
  return {
    take(who, now_ms) {
      // A clock that was set back must not lock anyone out for longer than the bucket takes.
      const kept = Math.min(fullAt.get(who) ?? 0, now_ms + capacity_ms);
      const full_ms = Math.max(kept, now_ms) + step_ms;
      const wait_ms = full_ms - now_ms - capacity_ms;
      if (wait_ms <= tolerance_ms) keep(who, full_ms);
      else if (settings.hasLimits) throw toRefusal(effective, wait_ms);
    },
  };
}
