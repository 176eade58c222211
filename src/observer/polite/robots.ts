import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type robotsParser from 'robots-parser';
import type { NoAnswer } from '../../evidence/observation/answer.ts';
import type { PoliteFetch } from './polite-fetch.ts';

// Its types describe an ES module, which it is not.
const parseRobots = createRequire(import.meta.url)('robots-parser') as typeof robotsParser.default;

/** The name that robots.txt files know this observer by. */
export const robotName = 'Dossier';

/** Whether robots.txt lets this observer ask for an address; if not, why. */
export type Robots = (url: string) => Promise<NoAnswer | undefined>;

const cachedHosts = 5000;
const cached_ms = 24 * 3600 * 1000;
/** RFC 9309 section 2.5: at least 500 KiB are read; more is cut off. */
const longestText = 512 * 1024;

interface Rules {
  isAllowed(url: string): boolean;
  readonly reason: (host: string) => string;
}

const all: Rules = { isAllowed: () => true, reason: () => '' };

/** RFC 9309 section 2.3.1: a missing file allows everything, a server error nothing. A host without an answer says so itself. */
async function read(origin: string, fetch: PoliteFetch): Promise<Rules> {
  const url = `${origin}/robots.txt`;
  const answer = await fetch({ url, timeout_ms: 8000 });
  if (answer.result !== 'response' || (answer.status >= 300 && answer.status < 500)) return all;
  if (answer.status >= 500)
    return {
      isAllowed: () => false,
      reason: (host) =>
        `${host} answered a request for its robots.txt with HTTP status ${answer.status}, which forbids all others (RFC 9309).`,
    };
  const rules = parseRobots(url, answer.text.slice(0, longestText));
  return {
    isAllowed: (asked) => rules.isAllowed(asked, robotName) ?? true,
    reason: (host) => `The robots.txt of ${host} does not allow Dossier to ask for this address.`,
  };
}

/** Reads the robots.txt of each origin at most once a day. */
export function createRobots(fetch: PoliteFetch): Robots {
  const known = new LRUCache<string, Promise<Rules>>({ max: cachedHosts, ttl: cached_ms });
  return async (text) => {
    const url = URL.parse(text);
    if (!url) return undefined;
    const rules = known.get(url.origin) ?? read(url.origin, fetch);
    known.set(url.origin, rules);
    const { isAllowed, reason } = await rules;
    return isAllowed(url.href) ? undefined : { result: 'refused', reason: reason(url.host) };
  };
}
