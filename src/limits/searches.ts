import type { Searches } from '../context.ts';
import { Problem } from '../problem.ts';
import type { Limit, LimitSettings } from './limit.ts';
import { createMemoryLimit } from './memory.ts';

/** Searches by words of one network, on every face: five a second, 20 at once. One costs up to a hundred times a page. */
export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

/** Searches that wait for the database at the same time. */
const mostRunning = 50;
/** How long searches may compute, in one turn of the event loop, before further ones are refused. */
const longestTurn_ms = 100;
const refusal_s = 2;

/** The caller of the command line and of stdio, which shares its process with nobody. */
const ownProcess = 'local';

/** The time that this thread computed, so that waiting for a processor counts as nothing. */
const computed_ms = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * Lets searches run within the limit of their network. Refuses further ones as `unavailable` while 50 are running, or once
 * those that arrived together have computed for 100 ms: whoever asks for anything else would wait behind all of them.
 */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  let running = 0;
  let turnBegan_ms: number | undefined;
  const requireRoom = () => {
    const now_ms = computed_ms();
    if (turnBegan_ms === undefined) setImmediate(() => (turnBegan_ms = undefined));
    turnBegan_ms ??= now_ms;
    const isLate = running >= mostRunning || now_ms - turnBegan_ms > longestTurn_ms;
    if (isLate && settings.hasLimits)
      throw new Problem('unavailable', {
        retry_after_s: refusal_s,
        detail: 'Too many searches at the moment.',
      });
  };
  return {
    async run({ network, now_ms }, search) {
      if (network === ownProcess) return search();
      requireRoom();
      limit.take(network, now_ms);
      running += 1;
      try {
        return await search();
      } finally {
        running -= 1;
      }
    },
  };
}
