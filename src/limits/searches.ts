import type { Searches } from '../context.ts';
import { Problem } from '../problem.ts';
import type { Limit, LimitSettings } from './limit.ts';
import { createMemoryLimit } from './memory.ts';
import { createSearchTurns } from './search-turns.ts';

/** Searches by words of one network, on every face: five a second, 20 at once. One costs up to a hundred times a page. */
export const searchLimit: Limit = { name: 'search', burst: 20, refill_s: 4 };

const mostWaiting = 50;
const refusal_s = 2;

/** The caller of the command line and of stdio, which shares its process with nobody. */
const ownProcess = 'local';

const tooMany = () =>
  new Problem('unavailable', { retry_after_s: refusal_s, detail: 'Too many searches at the moment.' });

/** Lets searches run within the limit of their network, in turns. Further ones are `unavailable` while 50 wait. */
export function createSearches(settings: LimitSettings): Searches {
  const limit = createMemoryLimit(searchLimit, settings);
  const turns = createSearchTurns(settings.hasLimits ? mostWaiting : Number.POSITIVE_INFINITY);
  return {
    async run({ network, now_ms }, search) {
      if (network === ownProcess) return search();
      const used = settings.hasLimits ? limit.usedShare(network, now_ms) : 0;
      limit.take(network, now_ms);
      const end = await turns.wait(used);
      if (!end) throw tooMany();
      try {
        return await search();
      } finally {
        end();
      }
    },
  };
}
