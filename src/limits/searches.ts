import type { Searches } from '../context.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { Problem } from '../core/problem.ts';
import { nextTurn } from '../core/turns.ts';
import { createMemoryLimit, type Limit, type LimitSettings, toWidestNetwork } from './limit.ts';

const mostRunning = 20;
/** What runs together is in memory together. */
const mostOfNetwork = 4;
const refusal_s = 2;
/** From this share of their limit, callers search one at a time. */
const heavy = 0.5;

/**
 * One search begins in a turn of the event loop, because on SQLite each computes for some milliseconds at a
 * stretch. After a heavy caller's, the next waits for as long as that kept the event loop busy. Beyond
 * `mostWaiting`, the newest of the network with most is refused as unavailable, with `detail`. Without limits
 * none is, and networks are not told apart.
 */
export function createSearchTurns({ hasLimits }: LimitSettings, mostWaiting: number, detail: string) {
  const waiting = hasLimits ? mostWaiting : Number.POSITIVE_INFINITY;
  const placesOfKey = hasLimits ? mostOfNetwork : mostRunning;
  const all = createFairPool({ places: mostRunning, placesOfKey, waiting });
  const heavyOnes = createFairPool({ places: 1, placesOfKey: 1, waiting });
  /** `used`, from 0 to 1, is of the network's limit. */
  return async <T>(network: string, used: number, search: () => Promise<T>): Promise<T> => {
    const widest = toWidestNetwork(network);
    const leaveHeavy = used < heavy ? () => undefined : await heavyOnes.enter({ keys: [widest] });
    const leave = leaveHeavy && (await all.enter({ keys: [widest] }));
    if (!leave) {
      leaveHeavy?.();
      throw new Problem('unavailable', { retry_after_s: refusal_s, detail });
    }
    await nextTurn(widest);
    const since = performance.eventLoopUtilization();
    try {
      return await search();
    } finally {
      leave();
      if (used >= heavy) setTimeout(leaveHeavy, performance.eventLoopUtilization(since).active);
    }
  };
}

export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

/** A listing named in a list costs as much as one that is read. */
export const namedLimit: Limit = { name: 'named', burst: 600, refill_s: 120 };

const mostWaiting = 50;

/** Throws rate_limited, or unavailable if too many wait. */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  const named = createMemoryLimit(namedLimit, settings);
  const inTurn = createSearchTurns(settings, mostWaiting, 'Too many searches at the moment.');
  return {
    async run({ network, now_ms, listings = 0 }, search) {
      // The command line and stdio have the process to themselves.
      if (network === 'local') return search();
      const shares = [limit, ...(listings > 0 ? [named] : [])].map((one) => one.usedShare(network, now_ms));
      const used = settings.hasLimits ? Math.max(...shares) : 0;
      limit.take(network, now_ms);
      if (listings > 0) named.take(network, now_ms, listings);
      return inTurn(network, used, search);
    },
  };
}
