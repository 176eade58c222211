import { lazy } from '../core/lazy.ts';
import { tokenize } from '../core/text.ts';
import type { ListingTag } from './listing.ts';
import vocabulary from './tag-vocabulary.json' with { type: 'json' };

/** Phrases in which words have a different sense, without tags. */
const otherSenses =
  'any mcp client, memory usage, memory safe, memory efficient, no browser, without a browser, no docker, no code, low code, price alerts, memory leak, meok ai labs, in transit, ai search, on github, from github, via github, github com, stock photo, stock image, out of stock, stock level, profit and loss, sales forecast, demand forecast, public domain, of course, tennis court, law of, power law, design pattern, design by contract, by design, docker image, container image, disk image, email address, address validation, yield curve, think playwright, trading terminal, bloomberg terminal, data dictionary, type inference, robots txt, game theory, game changer, prices images, unity catalog, geological survey, social security, security token, law enforcement, full text search, in memory database, memory bandwidth, using docs, sop workflow, news feed reader, energy efficient, low energy, voice of customer, tone of voice, quantum safe, quantum resistant, message queue, food for thought, self hosted git, git for, version control, air gapped, image based, screenshot testing, satellite of, sports car, music to, pull data from any, database name, self hosted, time travel, of the game, pre flight, preflight, in flight, print farm, chromium style, real databases, vulnerability databases, are masked, road trip logistics, security headers, as laws, lifecycle email, social security number, secrets are masked, for companies, for startups, sales pitch, vision ocr, for ai models, to ai models, email forwarding, email engagement, filesystem commands, for hire, startup time, local rest api, obsidian rest api, via rest api, or rest api, and rest api, rest api mcp, rest api and, prices and images, rest api free, public rest api, api rest api, rest api v2, agnostic rest api, via graphql, graphql writes, graphql api, zoom in, zoom level, envirofacts rest api, copyright safe, for video creators, gaming pc, mcp servers for, of mcp servers for, csv sql, for whatsapp, clinical docs, and slack, and emails, with mcp servers, via mcp servers, an mcp servers, through mcp servers, registry supply chain, accessibility tree, email or github, invoicing mcp servers, full docs, draft analytics, full docs and, cosmic weather, dashboard component, dashboard components, flight recorder, legal entity, generic ingredient, solar correlation, wedding quotes, safety databases, healthcare databases, government databases, public databases, research databases, scientific databases, biomedical databases, official databases, open databases, federal databases, company databases, payment rates, skilled trades, presentation ready, in sqlite, local sqlite, sqlite fts, sqlite fts5, sqlite storage, sqlite backed, sqlite based, sqlite millisecond search, sqlite database file, with playwright, via playwright, using playwright, powered by playwright, playwright powered, emails phones, phones emails, texts and emails, phone numbers urls, ssns credit cards, in usdc, paid in usdc, usdc paid, usdc micropayments, per call usdc, usdc payments on, usdc per call, as mcp servers, eu gdpr, json urls images, podcast and writing, vehicle recalls, images recalls, no login, no crypto, without code, code of conduct, zip code of, error code, dress code, promo code, airport code, free auth, test in production, voice first, in the cloud, cloud hosted, data from government, not legal advice, not financial advice, security cameras, home security, cbt dbt, non robot, image required, marketplace listings, research portfolio management, debug console, volcano engine, platform mcp gateway, equal housing, physics simulation, campaign finance, markdown emails, in emails, password protection, password protected, password protect, openapi backed, io github, random weather, compare translations, decode vins, security boundaries, security policy, affiliate signals, nhtsa recalls, check nhtsa recalls, origin chain provenance, emails and slack';

/** Lower ranks come first. */
interface Topic {
  readonly tag: string;
  readonly rank: number;
}

/** Of the phrase that ends here; none if it has a different sense. */
interface Node {
  readonly next: Map<string, Node>;
  topics: Topic[] | undefined;
}

const newNode = (): Node => ({ next: new Map(), topics: undefined });

const toPlural = (phrase: string) =>
  /[^aeiou]y$/.test(phrase)
    ? `${phrase.slice(0, -1)}ies`
    : `${phrase}${/(s|x|ch|sh)$/.test(phrase) ? 'es' : 's'}`;

const toPhrases = (list: string) => list.split(', ').flatMap((phrase) => [phrase, toPlural(phrase)]);

function insert(root: Node, phrase: string, topic: Topic | undefined) {
  let node = root;
  for (const word of phrase.split(' ')) {
    const next = node.next.get(word) ?? newNode();
    node.next.set(word, next);
    node = next;
  }
  node.topics = [...(node.topics ?? []), ...(topic ? [topic] : [])];
}

// Regular plurals count too. Of too many tags, the first in the vocabulary win.
const root = lazy(() => {
  const made = newNode();
  for (const [rank, [tag, phrases]] of Object.entries(vocabulary).entries())
    for (const phrase of toPhrases(phrases)) insert(made, phrase, { tag, rank });
  for (const phrase of toPhrases(otherSenses)) insert(made, phrase, undefined);
  return made;
});

function longestAt(words: readonly string[], start: number) {
  let longest: { end: number; topics: readonly Topic[] } | undefined;
  let node = root().next.get(words[start] ?? '');
  for (let end = start + 1; node; end += 1) {
    if (node.topics) longest = { end, topics: node.topics };
    node = node.next.get(words[end] ?? '');
  }
  return longest;
}

/** The longest wins and its words produce nothing else, so that "video games" is not about video. */
export function matchPhrases(words: readonly string[]) {
  const matches: (Topic & { readonly phrase: string })[] = [];
  for (let at = 0; at < words.length; ) {
    const longest = longestAt(words, at);
    const phrase = longest?.topics.length ? words.slice(at, longest.end).join(' ') : '';
    for (const topic of longest?.topics ?? []) matches.push({ ...topic, phrase });
    at = longest?.end ?? at + 1;
  }
  return matches;
}

/** Recorded facts and words may be more, without keywords. */
const maxTags = 8;
const maxWordTags = 5;
const keywordForm = /^[a-z0-9][a-z0-9-]{1,31}$/;

export interface TagFacts {
  readonly title: string | undefined;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly hasRemote: boolean;
  readonly packageTypes: readonly string[];
  readonly transports: readonly string[];
}

/** Punctuation before a space, or a dash, bar or slash between spaces. */
const breaks = /[.,;:!?()|—–]+\s|\s[-—–|/]+\s/;

const wordTags = (text: string, place: string): (ListingTag & { rank: number })[] =>
  text
    .split(breaks)
    .flatMap((clause) => matchPhrases(tokenize(clause)))
    .map(({ tag, phrase, rank }) => ({
      tag,
      reason: `the ${phrase.includes(' ') ? 'words' : 'word'} '${phrase}' in the ${place}`,
      rank,
    }));

function vocabularyTags({ title, description }: TagFacts): ListingTag[] {
  return [...wordTags(title ?? '', 'title'), ...wordTags(description, 'description')]
    .sort((a, b) => a.rank - b.rank)
    .map(({ tag, reason }) => ({ tag, reason }));
}

const factTags = ({ hasRemote, packageTypes, transports }: TagFacts): ListingTag[] => [
  ...(hasRemote ? [{ tag: 'remote', reason: 'a recorded remote endpoint' }] : []),
  ...(transports.includes('stdio') ? [{ tag: 'stdio', reason: 'recorded transport stdio' }] : []),
  ...packageTypes.map((type) => ({ tag: type, reason: `recorded package type ${type}` })),
];

const keywordTags = ({ keywords }: TagFacts): ListingTag[] =>
  keywords
    .map((keyword) => tokenize(keyword).join('-'))
    .filter((tag) => keywordForm.test(tag))
    .map((tag) => ({ tag, reason: 'publisher keyword' }));

function chooseTags(tags: readonly ListingTag[], others: readonly ListingTag[], most = tags.length) {
  const taken = new Set(others.map(({ tag }) => tag));
  const each = [...Map.groupBy(tags, ({ tag }) => tag).values()].flatMap(([first]) => first ?? []);
  return each.filter(({ tag }) => !taken.has(tag)).slice(0, Math.max(0, most));
}

/** From the vocabulary first, then of the publisher while there is room, then all facts. */
export function toTags(facts: TagFacts): ListingTag[] {
  const recorded = chooseTags(factTags(facts), []);
  const named = chooseTags(vocabularyTags(facts), recorded, maxWordTags);
  const taken = [...recorded, ...named];
  return [...named, ...chooseTags(keywordTags(facts), taken, maxTags - taken.length), ...recorded];
}
