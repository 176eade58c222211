import type { Searches } from '../context.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { Problem } from '../core/problem.ts';
import { nextTurn } from '../core/turns.ts';
import { createMemoryLimit, type Limit, type LimitSettings, toWidestNetwork } from './limit.ts';

const mostRunning = 20;
/** What runs together is in memory together. */
const mostOfNetwork = 4;
/** From this share of their limit, callers search one at a time. */
const heavy = 0.5;

/**
 * One search begins in a turn of the event loop, because on SQLite each computes for some milliseconds at a
 * stretch. After a heavy caller's, the next waits for as long as that kept the event loop busy. Beyond
 * `mostWaiting`, the newest of the network with most is refused. Without limits none is, and networks are
 * not told apart.
 */
export function createSearchTurns({ hasLimits }: LimitSettings, mostWaiting: number) {
  const waiting = hasLimits ? mostWaiting : Number.POSITIVE_INFINITY;
  const placesOfKey = hasLimits ? mostOfNetwork : mostRunning;
  const all = createFairPool({ places: mostRunning, placesOfKey, waiting });
  const heavyOnes = createFairPool({ places: 1, placesOfKey: 1, waiting });
  return {
    /**
     * Returns what ends the search, or undefined if it is refused. `used`, from 0 to 1, is of the network's
     * limit.
     */
    async wait(network: string, used: number): Promise<(() => void) | undefined> {
      const widest = toWidestNetwork(network);
      const leaveHeavy = used < heavy ? () => undefined : await heavyOnes.enter({ keys: [widest] });
      const leave = leaveHeavy && (await all.enter({ keys: [widest] }));
      if (!leave) {
        leaveHeavy?.();
        return undefined;
      }
      await nextTurn(widest);
      const since = performance.eventLoopUtilization();
      return () => {
        leave();
        if (used >= heavy) setTimeout(leaveHeavy, performance.eventLoopUtilization(since).active);
      };
    },
  };
}

export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

/** A listing named in a list costs as much as one that is read. */
export const namedLimit: Limit = { name: 'named', burst: 600, refill_s: 120 };

const mostWaiting = 50;
const refusal_s = 2;

/** Throws rate_limited, or unavailable if too many wait. */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  const named = createMemoryLimit(namedLimit, settings);
  const turns = createSearchTurns(settings, mostWaiting);
  return {
    async run({ network, now_ms, listings = 0 }, search) {
      // The command line and stdio have the process to themselves.
      if (network === 'local') return search();
      const shares = [limit, ...(listings > 0 ? [named] : [])].map((one) => one.usedShare(network, now_ms));
      const used = settings.hasLimits ? Math.max(...shares) : 0;
      limit.take(network, now_ms);
      if (listings > 0) named.take(network, now_ms, listings);
      const end = await turns.wait(network, used);
      const tooMany = { retry_after_s: refusal_s, detail: 'Too many searches at the moment.' };
      if (!end) throw new Problem('unavailable', tooMany);
      try {
        return await search();
      } finally {
        end();
      }
    },
  };
}
