import { cachedOnce } from '../../core/cached-once.ts';
import { longestAddress, type NoAnswer, notChecked, whyTooLong } from '../../net/answer.ts';
import type { PoliteFetch } from './polite.ts';

/** A path of robots.txt, as the texts between its `*`; `isWhole`: it ends with `$`. */
interface Rule {
  readonly texts: readonly string[];
  readonly isWhole: boolean;
  readonly isAllowed: boolean;
  readonly length: number;
}

/** The name that robots.txt files know this observer by. */
const productToken = 'dossier';
const mostRules = 1000;

/** A path or rule with the same characters percent-encoded, whoever wrote it (RFC 9309 section 2.2.2). */
const encoded = (path: string) =>
  encodeURI(path.toWellFormed())
    .replaceAll('%25', '%')
    .replace(/%([\da-f]{2})/gi, (octet, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });

/** A literal `$` or `*` is percent-encoded (RFC 9309 section 2.2.3). */
const literal = (path: string) => path.replaceAll('$', '%24').replaceAll('*', '%2A');

const charactersOf = ({ texts }: Rule) => texts.reduce((sum, { length }) => sum + length, 0);

/** Each character of an address may take three when it is percent-encoded. */
const longestRule = 3 * longestAddress;

/** A rule; undefined for one with more characters than any address that Dossier asks for, which applies to none. */
function toRule(stated: string, isAllowed: boolean): Rule | undefined {
  const path = stated.replace(/\*{2,}/g, '*');
  // Three characters may stand for one, and an asterisk between each two: what is longer need not be decoded.
  if (path.length > 4 * longestRule + 2) return undefined;
  const isWhole = path.endsWith('$');
  const pattern = encoded(isWhole ? path.slice(0, -1) : path);
  // Copied: a part of a text would keep all of robots.txt in memory.
  const texts = pattern.split('*').map((text) => Buffer.from(literal(text)).toString('latin1'));
  const rule = { texts, isWhole, isAllowed, length: pattern.length + Number(isWhole) };
  return charactersOf(rule) > longestRule ? undefined : rule;
}

/** Looks for each text of a rule behind the one before it, and never goes back. */
function applies({ texts, isWhole }: Rule, path: string): boolean {
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
/** A product token, or `*`, at the start of a line for user agents; what follows, as a version, is not part of it. */
const token = /^(?:\*(?=\s|$)|[a-z_-]+)/i;

/** The paths that the groups of `dossier` name, or, if there is none, those of `*`, and whether each is allowed (RFC 9309 section 2.2.1). */
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

/**
 * What a robots.txt lets Dossier ask for (RFC 9309): whether it allows a path with its query, or undefined if it has more than
 * 1,000 rules for Dossier, which then cannot tell. `size_bytes` is about what it keeps in memory.
 */
export function parseRobots(text: string) {
  const rules: Rule[] = [];
  for (const [path, isAllowed] of pathsFor(text)) {
    const rule = toRule(path, isAllowed);
    if (rule) rules.push(rule);
    if (rules.length > mostRules) return { isAllowed: () => undefined, size_bytes: perRule_bytes };
  }
  // The longest rule that applies decides, and an allowing one before one of its length (RFC 9309 section 2.2.2).
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

/** Whether robots.txt lets this observer ask for an address; if not, why. */
export type Robots = (url: string) => Promise<NoAnswer | undefined>;

const cached_ms = 24 * 3600 * 1000;
/** What the rules of all hosts may take in memory. */
const mostCached_bytes = 16 * 1024 * 1024;
/** How long a host that gave no answer is not asked for its robots.txt again. */
const failed_ms = 600_000;
const timeout_ms = 8000;
/** RFC 9309 section 2.5: at least 500 KiB are read; more is not. */
const longestFile_bytes = 512 * 1024;

/** Why an address may not be asked for; undefined for one that may be. */
interface Rules {
  readonly whyNot: (url: URL) => NoAnswer | undefined;
  readonly size_bytes: number;
  readonly isUnread?: true;
}

const all: Rules = { whyNot: () => undefined, size_bytes: perRule_bytes };

/** RFC 9309 section 2.3.1.4: who cannot read the rules asks for nothing else. That passes, and says nothing about the host. */
const none = (why: Omit<NoAnswer, 'result'>): Rules => ({
  whyNot: () => ({ ...why, result: 'unreachable' as const }),
  size_bytes: perRule_bytes,
  isUnread: true,
});

const tooMany = (host: string) =>
  notChecked(
    `The robots.txt of ${host} has more than 1,000 rules for Dossier, which reads no more of them, so that Dossier asked for nothing else there.`,
  );

const disallowed = (host: string): NoAnswer => ({
  result: 'refused',
  reason: `The robots.txt of ${host} does not allow Dossier to ask for this address.`,
});

/** RFC 9309 section 2.3.1: a file that is not there (3xx or 4xx) allows everything. */
async function read(origin: string, fetch: PoliteFetch): Promise<Rules> {
  const url = `${origin}/robots.txt`;
  let read_bytes = 0;
  const isComplete = (piece: Uint8Array) => {
    read_bytes += piece.byteLength;
    return read_bytes >= longestFile_bytes;
  };
  const answer = await fetch({ url, timeout_ms, isComplete });
  if (answer.result !== 'response') return none(answer);
  const { status, text } = answer;
  if (status === 429 || status >= 500)
    return none({
      reason: `${new URL(origin).host} answered a request for its robots.txt with HTTP status ${status}, so Dossier asked for nothing else there (RFC 9309).`,
      isUnchecked: true,
    });
  if (status >= 300) return all;
  const { isAllowed, size_bytes } = parseRobots(text.slice(0, longestFile_bytes));
  const whyNot = ({ host, pathname, search }: URL) => {
    const mayAsk = isAllowed(pathname + search);
    if (mayAsk === undefined) return tooMany(host);
    return mayAsk ? undefined : disallowed(host);
  };
  return { whyNot, size_bytes };
}

/** Reads the robots.txt of each origin once a day, and again after ten minutes if there was no answer. */
export function createRobots(fetch: PoliteFetch, clock: () => Date): Robots {
  const rulesOf = cachedOnce((origin) => read(origin, fetch), {
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
