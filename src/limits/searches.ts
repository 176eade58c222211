import type { Searches } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { createMemoryLimit, type Limit, type LimitSettings } from './limit.ts';

const mostRunning = 20;
/** A caller that has used this share of its limit waits for callers that have used less. */
const heavy = 0.5;

/** `used` is the share of its limit that the caller's network had used, from 0 to 1. */
interface WaitingSearch {
  readonly used: number;
  readonly answer: (end: (() => void) | undefined) => void;
}

/**
 * Begins at most one search in each turn of the event loop, because on SQLite a search computes for some
 * milliseconds at a stretch. The next search is that of the caller that has used the smallest share of its
 * limit. If several have used the same share, the search that has waited longest is next. Searches of callers
 * that have used at least half of their limit run one at a time. After one of them ends, the next waits for
 * as long as the event loop was busy while that search ran. If more than `mostWaiting` searches wait, the
 * newest search of the caller with the largest share is refused.
 */
export function createSearchTurns(mostWaiting: number) {
  const waiting: WaitingSearch[] = [];
  let running = 0;
  let hasBegun = false;
  let isHeavyRunning = false;
  let restUntil_ms = 0;
  let isResting = false;
  const begin = ({ used, answer }: WaitingSearch) => {
    const since = performance.eventLoopUtilization();
    const isHeavy = used >= heavy;
    running += 1;
    isHeavyRunning ||= isHeavy;
    hasBegun = true;
    setImmediate(() => {
      hasBegun = false;
      beginNext();
    });
    answer(() => {
      running -= 1;
      if (isHeavy) {
        isHeavyRunning = false;
        restUntil_ms = performance.now() + performance.eventLoopUtilization(since).active;
      }
      beginNext();
    });
  };
  const beginNext = () => {
    const [next] = waiting;
    if (!next || hasBegun || running >= mostRunning || (next.used >= heavy && isHeavyRunning)) return;
    const rest_ms = next.used < heavy ? 0 : restUntil_ms - performance.now();
    if (rest_ms <= 0) begin(waiting.shift() ?? next);
    else if (!isResting) {
      isResting = true;
      setTimeout(() => {
        isResting = false;
        beginNext();
      }, rest_ms);
    }
  };
  const enqueue = (one: WaitingSearch) => {
    const at = waiting.findIndex(({ used }) => used > one.used);
    waiting.splice(at === -1 ? waiting.length : at, 0, one);
    if (waiting.length > mostWaiting) waiting.pop()?.answer(undefined);
  };
  return {
    /**
     * Resolves when the search may begin or is refused. The value is the function that ends the search, or
     * undefined if it is refused.
     */
    wait: (used: number) =>
      new Promise<(() => void) | undefined>((resolve) => {
        enqueue({ used, answer: resolve });
        beginNext();
      }),
  };
}

/** Searches and comparisons are charged, whatever the adapter is. */
export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

/** Each listing that a caller names in a list is charged, because each costs as much as one that is read. */
export const namedLimit: Limit = { name: 'named', burst: 600, refill_s: 120 };

const mostWaiting = 50;
const refusal_s = 2;

/** `run` throws rate_limited, or unavailable if too many searches wait. */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  const named = createMemoryLimit(namedLimit, settings);
  const turns = createSearchTurns(settings.hasLimits ? mostWaiting : Number.POSITIVE_INFINITY);
  return {
    async run({ network, now_ms, listings = 0 }, search) {
      // The command line and stdio have the process to themselves.
      if (network === 'local') return search();
      const shares = [limit, ...(listings > 0 ? [named] : [])].map((one) => one.usedShare(network, now_ms));
      const used = settings.hasLimits ? Math.max(...shares) : 0;
      limit.take(network, now_ms);
      if (listings > 0) named.take(network, now_ms, listings);
      const end = await turns.wait(used);
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
