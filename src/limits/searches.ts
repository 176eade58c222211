import type { Searches } from '../context.ts';
import { Problem } from '../core/problem.ts';
import { createMemoryLimit, type Limit, type LimitSettings } from './limit.ts';

/** Searches that wait for the database at the same time. */
const mostRunning = 20;
/** Share of its limit from which a caller waits for those who ask for anything else. */
const heavy = 0.5;

/** A search that waits: `used` is the share of its limit that the caller's network had used, 0 to 1. */
interface Waiting {
  readonly used: number;
  readonly answer: (end: (() => void) | undefined) => void;
}

/**
 * One search begins in a turn of the event loop: on SQLite it computes for some milliseconds at a stretch,
 * and what else arrived meanwhile is answered before the next one. The caller that used the least of its
 * limit is next, and within that the one that waits longest. Of callers that used half of their limit one
 * searches at a time, and the next begins after a rest as long as this process computed during that search,
 * which leaves half of the time to others. When more than `mostWaiting` wait, the one that used most gives up
 * its place, of equals the newest.
 */
export function createSearchTurns(mostWaiting: number) {
  const waiting: Waiting[] = [];
  let running = 0;
  let hasBegun = false;
  let isHeavyRunning = false;
  let restUntil_ms = 0;
  let isResting = false;
  const begin = ({ used, answer }: Waiting) => {
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
  const enqueue = (one: Waiting) => {
    const at = waiting.findIndex(({ used }) => used > one.used);
    waiting.splice(at === -1 ? waiting.length : at, 0, one);
    if (waiting.length > mostWaiting) waiting.pop()?.answer(undefined);
  };
  return {
    /** Resolves to what ends the search when it may begin, or to undefined if it gave up its place. */
    wait: (used: number) =>
      new Promise<(() => void) | undefined>((resolve) => {
        enqueue({ used, answer: resolve });
        beginNext();
      }),
  };
}

/**
 * Limits searches and comparisons of one network, over all adapters, to five a second and 20 at once; one
 * costs up to a hundred times as much as a page.
 */
export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

const mostWaiting = 50;
const refusal_s = 2;

/**
 * Lets searches run within the limit of their network, in turns. Further ones are `unavailable` while 50
 * wait.
 */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  const turns = createSearchTurns(settings.hasLimits ? mostWaiting : Number.POSITIVE_INFINITY);
  return {
    async run({ network, now_ms }, search) {
      // The caller of the command line and of stdio, which shares its process with nobody.
      if (network === 'local') return search();
      const used = settings.hasLimits ? limit.usedShare(network, now_ms) : 0;
      limit.take(network, now_ms);
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
