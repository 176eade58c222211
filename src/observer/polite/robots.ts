import { createRequire } from 'node:module';
import type robotsParser from 'robots-parser';
import { cachedOnce } from '../../cached-once.ts';
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
/** How long a host that gave no answer is not asked for its robots.txt again. */
const failed_ms = 600_000;
const timeout_ms = 8000;
/** RFC 9309 section 2.5: at least 500 KiB are read; more is not. */
const longestText_bytes = 512 * 1024;

/** Why an address may not be asked for; undefined for one that may be. */
type Rules = ((url: URL) => NoAnswer | undefined) & { readonly isUnread?: true };

const all: Rules = () => undefined;

/** RFC 9309 section 2.3.1.4: who cannot read the rules asks for nothing else. That passes, and says nothing about the host. */
const none = (why: Omit<NoAnswer, 'result'>): Rules =>
  Object.assign(() => ({ ...why, result: 'unreachable' as const }), { isUnread: true as const });

/** RFC 9309 section 2.3.1: a file that is not there (3xx or 4xx) allows everything. */
async function read(origin: string, fetch: PoliteFetch): Promise<Rules> {
  const url = `${origin}/robots.txt`;
  let read_bytes = 0;
  const isComplete = (piece: Uint8Array) => {
    read_bytes += piece.byteLength;
    return read_bytes >= longestText_bytes;
  };
  const answer = await fetch({ url, timeout_ms, isComplete });
  if (answer.result !== 'response') return none(answer);
  const { status, text } = answer;
  if (status === 429 || status >= 500)
    return none({
      reason: `${new URL(origin).host} answered a request for its robots.txt with HTTP status ${status}, so Dossier asked for nothing else there (RFC 9309).`,
    });
  if (status >= 300) return all;
  const rules = parseRobots(url, text.slice(0, longestText_bytes));
  return ({ href, host }) =>
    (rules.isAllowed(href, robotName) ?? true)
      ? undefined
      : {
          result: 'refused',
          reason: `The robots.txt of ${host} does not allow Dossier to ask for this address.`,
        };
}

/** Reads the robots.txt of each origin once a day, and again after ten minutes if there was no answer. */
export function createRobots(fetch: PoliteFetch, clock: () => Date): Robots {
  const rulesOf = cachedOnce((origin) => read(origin, fetch), {
    most: cachedHosts,
    ttl_ms: cached_ms,
    isFailure: ({ isUnread = false }) => isUnread,
    failureTtl_ms: failed_ms,
    clock,
  });
  return async (text) => {
    const url = URL.parse(text);
    return url ? (await rulesOf(url.origin))(url) : undefined;
  };
}
