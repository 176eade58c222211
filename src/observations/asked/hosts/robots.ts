import { LRUCache } from 'lru-cache';
import { cachedOnce } from '../../../core/cached-once.ts';
import { code, own, say } from '../../../core/words.ts';
import { longestAddress, type NoAnswer, noAnswer, notAsked, whyTooLong } from '../../../net/answer.ts';
import type { PoliteFetch } from './polite.ts';

interface RobotsRule {
  readonly texts: readonly string[];
  readonly isWhole: boolean;
  readonly isAllowed: boolean;
  readonly length: number;
}

const productToken = 'dossier';
const mostRules = 1000;

/** RFC 9309 section 2.2.2. */
const encoded = (path: string) =>
  encodeURI(path.toWellFormed())
    .replaceAll('%25', '%')
    .replace(/%([\da-f]{2})/gi, (octet, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });

/** RFC 9309 section 2.2.3. */
const literal = (path: string) => path.replaceAll('$', '%24').replaceAll('*', '%2A');

const charactersOf = ({ texts }: RobotsRule) => texts.reduce((sum, { length }) => sum + length, 0);

/** Percent-encoding may turn each character of an address into three. */
const longestRule = 3 * longestAddress;

function toRule(stated: string, isAllowed: boolean): RobotsRule | undefined {
  const path = stated.replace(/\*{2,}/g, '*');
  // A character takes at most four here: three if it is percent-encoded, and an asterisk after it.
  if (path.length > 4 * longestRule + 2) return undefined;
  const isWhole = path.endsWith('$');
  const pattern = encoded(isWhole ? path.slice(0, -1) : path);
  // Copies, since a slice of a string would keep all of robots.txt in memory.
  const texts = pattern.split('*').map((text) => Buffer.from(literal(text)).toString('latin1'));
  const rule = { texts, isWhole, isAllowed, length: pattern.length + Number(isWhole) };
  return charactersOf(rule) > longestRule ? undefined : rule;
}

function applies({ texts, isWhole }: RobotsRule, path: string): boolean {
  const [first = '', ...others] = texts;
  if (!path.startsWith(first)) return false;
  const last = isWhole ? others.pop() : undefined;
  let at = first.length;
  for (const text of others) {
    const found = path.indexOf(text, at);
    if (found < 0) return false;
    at = found + text.length;
  }
  if (last === undefined) return !isWhole || path.length === at;
  return path.length - last.length >= at && path.endsWith(last);
}

const line = /^\s*(user-agent|allow|disallow)\s*:([^#]*)/i;
const token = /^(?:\*(?=\s|$)|[a-z_-]+)/i;

/** RFC 9309 section 2.2.1. */
function pathsFor(text: string): ReadonlyMap<string, boolean> {
  const groups = new Map<string, Map<string, boolean>>();
  let agents = new Set<string>();
  let isAmongAgents = false;
  for (const one of text.split(/\r\n?|\n/)) {
    const [, name = '', stated = ''] = line.exec(one) ?? [];
    const value = stated.trim();
    if (name === '') continue;
    if (name.toLowerCase() !== 'user-agent') {
      isAmongAgents = false;
      const isAllowed = name.toLowerCase() === 'allow';
      for (const agent of agents) {
        const paths = groups.get(agent);
        if (value !== '') paths?.set(value, isAllowed || paths.get(value) === true);
      }
      continue;
    }
    if (!isAmongAgents) agents = new Set();
    isAmongAgents = true;
    const agent = token.exec(value)?.[0].toLowerCase();
    if (agent !== '*' && agent !== productToken) continue;
    agents.add(agent);
    groups.set(agent, groups.get(agent) ?? new Map());
  }
  return groups.get(productToken) ?? groups.get('*') ?? new Map();
}

const perRule_bytes = 200;

/** Of more than 1,000 rules none is read. */
export function parseRobots(text: string) {
  const rules: RobotsRule[] = [];
  for (const [path, isAllowed] of pathsFor(text)) {
    const rule = toRule(path, isAllowed);
    if (rule) rules.push(rule);
    if (rules.length > mostRules) return { isAllowed: () => undefined, size_bytes: perRule_bytes };
  }
  // At equal length, Allow wins (RFC 9309 section 2.2.2).
  rules.sort((a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed));
  return {
    isAllowed: (path: string): boolean | undefined => {
      if (path === '/robots.txt') return true;
      const asked = literal(encoded(path));
      return rules.find((rule) => applies(rule, asked))?.isAllowed ?? true;
    },
    size_bytes: rules.reduce((sum, rule) => sum + charactersOf(rule) + perRule_bytes, perRule_bytes),
  };
}

export type Robots = (url: string) => Promise<NoAnswer | undefined>;

const cached_ms = 24 * 3600 * 1000;
const kept_ms = 30 * cached_ms;
const mostCached_bytes = 16 * 1024 * 1024;
/** A robots.txt that could not be read is requested again after this time. */
const failed_ms = 600_000;
/** A connection opens in less (net/client.ts), so a host that exceeds it has accepted one. */
const timeout_ms = 10_000;
/** RFC 9309 section 2.5 requires at least 500 KiB. */
const longestFile_bytes = 512 * 1024;

interface Rules {
  readonly whyNot: (url: URL) => NoAnswer | undefined;
  readonly size_bytes: number;
  readonly isRead?: true;
  readonly isUnread?: true;
}

const all: Rules = { whyNot: () => undefined, size_bytes: perRule_bytes };

/** RFC 9309 section 2.3.1.4. */
const none = (unread: NoAnswer): Rules => ({
  whyNot: () => unread,
  size_bytes: perRule_bytes,
  isUnread: true,
});

const tooMany = (host: string) =>
  notAsked(
    say`The robots.txt of ${code(host)} has more than 1,000 rules for Dossier, so Dossier requested nothing else there.`,
  );

const disallowed = (host: string): NoAnswer =>
  noAnswer('refused', say`The robots.txt of ${code(host)} does not allow Dossier to request this address.`);

const ofRobots = (answer: NoAnswer): NoAnswer => ({
  ...answer,
  why: say`${answer.why} The request was for robots.txt, so Dossier requested nothing else there (RFC 9309).`,
});

const wasSent: ReadonlySet<NoAnswer['cause']> = new Set(['timeout', 'not_http', 'too_large']);

/**
 * HTTP 3xx and 4xx count as a missing file, which allows everything (RFC 9309 section 2.3.1), and so does a
 * page, which has no rules in its lines. Dossier's own exception is 429, which counts as a file that cannot
 * be read.
 */
async function readRules(origin: string, fetch: PoliteFetch): Promise<Rules> {
  const url = `${origin}/robots.txt`;
  let read_bytes = 0;
  const isComplete = (piece: Uint8Array) => {
    read_bytes += piece.byteLength;
    return read_bytes >= longestFile_bytes;
  };
  const answer = await fetch({ url, timeout_ms, isComplete, isOfDocument: true, isReadInPart: true });
  if (answer.result !== 'response') return none(wasSent.has(answer.cause) ? ofRobots(answer) : answer);
  const { status, text } = answer;
  if (status === 429 || status >= 500)
    return none(
      noAnswer(
        status === 429 ? 'not_asked' : 'silent',
        say`${code(new URL(origin).host)} returned HTTP ${status}${status === 429 && own(' (too many requests)')} even for its robots.txt, so Dossier requested nothing else there${status !== 429 && own(' (RFC 9309)')}.`,
        { status },
      ),
    );
  if (status >= 300) return all;
  const { isAllowed, size_bytes } = parseRobots(text.slice(0, longestFile_bytes));
  const whyNot = ({ host, pathname, search }: URL) => {
    const mayAsk = isAllowed(pathname + search);
    if (mayAsk === undefined) return tooMany(host);
    return mayAsk ? undefined : disallowed(host);
  };
  return { whyNot, size_bytes, isRead: true };
}

/** While the file cannot be read, former rules apply for 30 days (RFC 9309 section 2.3.1.4). */
export function createRobots(fetch: PoliteFetch, clock: () => Date): Robots {
  const perf = { now: () => clock().getTime() };
  const last = new LRUCache<string, Rules>({
    maxSize: mostCached_bytes,
    ttl: kept_ms,
    ttlResolution: 0,
    perf,
  });
  const read = async (origin: string): Promise<Rules> => {
    const rules = await readRules(origin, fetch);
    const { isRead, isUnread, size_bytes: size } = rules;
    if (isRead) last.set(origin, rules, { size });
    const known = isUnread && last.get(origin);
    return known ? { ...known, isUnread } : rules;
  };
  const rulesOf = cachedOnce(read, {
    most: mostCached_bytes,
    weigh: ({ size_bytes }) => size_bytes,
    ttl_ms: cached_ms,
    isFailure: ({ isUnread = false }) => isUnread,
    failureTtl_ms: failed_ms,
    clock,
  });
  return async (text) => {
    const url = URL.parse(text);
    return url ? (whyTooLong(url) ?? (await rulesOf(url.origin)).whyNot(url)) : undefined;
  };
}
