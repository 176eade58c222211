import { Holder, hasPublicSuffix, namespaceIdentity, registrableDomain } from '../core/identity.ts';
import { type Alternative, findSynonyms, isOnlyRelated, toPhraseWords } from './synonyms.ts';
import {
  lightWords,
  questionWords,
  type SearchWord,
  stem,
  stopWords,
  toWords,
  verbs,
  withoutForeign,
} from './words.ts';

/** `tag:webhooks`, `has:endpoint`. `told`, `owner` and `publisher` are in no answer. */
export type Facet =
  `${'tag' | 'transport' | 'state' | 'package' | 'has' | 'is' | 'seen' | 'told' | 'owner' | 'publisher'}:${string}`;

/** One of a list is enough. */
export type FacetChoice = Facet | readonly Facet[];

export const isOfCheck = (facet: Facet): boolean => /^(?:seen|told):/.test(facet);

export function withNativeFacets(facets: readonly Facet[], state: string, isRated: boolean): Facet[] {
  const recorded = facets.filter((facet) => !facet.startsWith('state:') && facet !== 'has:ratings');
  return [...recorded, `state:${state}`, ...(isRated ? ['has:ratings' as const] : [])];
}

export const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const labelOf = (identity: string): string =>
  (identity.includes('/') ? identity.split('/')[1] : identity.split('.')[0]) ?? '';
const toLabel = (identity: string) => letters(labelOf(identity));

/** Letters and digits of the account, or of the registered domain's first label. */
export const ownerLabel = (handle: string): string => toLabel(namespaceIdentity(handle));

export function ownerFacets(handle: string): Facet[] {
  const identity = namespaceIdentity(handle);
  return [`owner:${toLabel(identity)}`, `owner:${identity}`];
}

const reversed = (name: string) => name.split('.').toReversed().join('.');

/** An account, or a domain that is registered as such. */
export const isHolder = (owner: string): boolean => owner.includes('/') || registrableDomain(owner) === owner;

/** Of a host below a domain, the namespace of this host alone. */
export const ownerFacet = (owner: string): Facet =>
  isHolder(owner) ? `owner:${owner}` : `publisher:${reversed(owner)}`;

/** Wanted of the owner named beside them. */
const around =
  /^(?:official|the|mcp)\s+|\s+(?:official|mcp|server|servers|api|connector|integration|\d+\.\d+)$/i;
const longest = 100;
const domain = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;

/** Of a domain or a reversed one; none for any other text. */
export function holdersOfDomain(text: string): Holder[] {
  if (!domain.test(text)) return [];
  const rank = (name: string) => Number(hasPublicSuffix(name));
  const names = new Set([text, reversed(text)].toSorted((a, b) => rank(b) - rank(a)));
  return [...names].map((name) => Holder.ofHost(name));
}

function withoutWanted(query: string): string {
  let text = query.trim().toLowerCase();
  while (around.test(text)) text = text.replace(around, '');
  return text;
}

/**
 * The publisher by name (`notion`, `hugging face`, `stripe mcp`), domain (`notion.com`) or namespace
 * (`com.notion`); none with quotes, exclusions or a slash.
 */
export function toOwnerFacets(query: string): Facet[] {
  const text = withoutWanted(query);
  if (text.length > longest || /["/]|(?:^|\s)-/.test(text)) return [];
  if (domain.test(text)) return holdersOfDomain(text).map(({ id }): Facet => `owner:${id}`);
  const label = letters(text);
  return label ? [`owner:${label}`] : [];
}

/** Letter by letter: `bexley bank` is the label of bexleybank.com, not of bexley-bank.com. */
export const isLabelOf = (handle: string, query: string): boolean =>
  labelOf(namespaceIdentity(handle)) === withoutWanted(query).replace(/\s+/g, '');

const mostNamed = 5;

/** Of several words, those that may be a publisher's name, as in `notion pages`. */
export function toNamingWords(query: string): string[] {
  const words = withoutWanted(query).slice(0, longest).split(/\s+/).map(letters);
  const telling = words.filter((word) => word.length > 2 && !lightWords.has(word) && !stopWords.has(word));
  return telling.length > 1 ? telling.slice(0, mostNamed) : [];
}

export type QueryWord = ReturnType<typeof toQueryWords>[number];
export type ParsedQuery = ReturnType<typeof parseQuery>;

const joinedFactor = 0.9;
/** A word of a phrase that has synonyms, apart from the phrase. */
const partFactor = 0.7;
const questionShare = 0.15;
const lightShare = 0.5;
const verbShare = 0.32;
const mostWords = 64;

const mostCharacters = 2000;
const forgePrefix = /\b(io|com)\.(github|gitlab)\.(?=\S)/gi;
/** Behind a verb (`does not need`) it says something else. */
const negation = String.raw`\b(?=[abeino])(?<!\b(?:am|are|be|can|could|did|do|does|has|have|if|is|may|must|or|should|was|were|why|will|would) {1,3})(?:(?:but|and) +)?(?:not|except(?: +for)?|excluding|other +than|instead +of) +(?:(?:an?|any|for|from|in|of|on|the|with) +)?`;
/** `"phrase"`, `-"phrase"`, `-word`, and `not word` or two words at the end of what is said. */
const conditions = new RegExp(
  String.raw`(?<minus>(?<=^|\s)-|${negation})?"(?<phrase>[^"]*)"|(?:(?<=^|\s)-(?=[\p{L}\p{N}])(?<word>\S+)|${negation}(?<other>[\p{L}\p{N}][\p{L}\p{N}.-]*(?: [\p{L}\p{N}]+)?)(?= *(?:$|[,;)?!]|\.(?:\s|$)|\b(?:and|but|for|nor|or|please)\b)))`,
  'giu',
);

const toTerms = (text: string) =>
  toWords(text)
    .map((word) => word.text)
    .filter((word) => !stopWords.has(word))
    .map(stem);

const joinedTerms = (words: readonly SearchWord[], at: number): string[] =>
  [words[at - 1], words[at + 1]].flatMap((neighbour, side) => {
    const own = words[at];
    if (!own || !neighbour) return [];
    return [stem(side === 0 ? `${neighbour.text}${own.text}` : `${own.text}${neighbour.text}`)];
  });

function toAlternatives(words: readonly SearchWord[], at: number): Alternative[] {
  const { text = '', parts = [] } = words[at] ?? {};
  return [
    { terms: [stem(text)], factor: 1 },
    ...(parts.length > 1 ? [{ terms: parts.map(stem), factor: joinedFactor }] : []),
    ...joinedTerms(words, at).map((term) => ({ terms: [term], factor: joinedFactor })),
  ].map((one) => ({ ...one, isWritten: true }));
}

function shareOfWord(text: string): number {
  if (questionWords.has(text)) return questionShare;
  if (verbs.has(text)) return verbShare;
  return lightWords.has(text) ? lightShare : 1;
}

/** With capitals and accents. Of a script without spaces, all that stands together. */
function readTyped(query: string): ReadonlyMap<string, string> {
  const runs = [...query.normalize('NFC').matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map(([run]) => run);
  return new Map(runs.toReversed().flatMap((run) => toWords(run).map(({ text }) => [text, run] as const)));
}

function toQueryWords(text: string, counting: ReadonlySet<string>) {
  const shareOf = (word: SearchWord) => (counting.has(word.text) ? shareOfWord(word.text) : questionShare);
  const typed = readTyped(text);
  const words = toWords(text).slice(0, mostWords * 2);
  const informative = toPhraseWords(withoutForeign(words) ?? words).slice(0, mostWords);
  const most = Math.max(...informative.map(shareOf));
  const terms = new Set(informative.map((word) => stem(word.text)));
  const isTyped = (one: Alternative) => isOnlyRelated(one) && one.terms.every((term) => terms.has(term));
  const synonyms = findSynonyms(informative);
  return informative.map((word, at) => {
    const { phrase, synonyms: others = [] } = synonyms[at] ?? {};
    const own = toAlternatives(informative, at);
    const written = phrase
      ? [
          { terms: phrase, factor: 1, isWritten: true },
          ...own.map((one) => ({ ...one, factor: one.factor * partFactor })),
        ]
      : own;
    return {
      text: word.text,
      typed: typed.get(word.text) ?? word.text,
      term: stem(word.text),
      /** 1 for words that say most. */
      share: shareOf(word) / most,
      /** Itself first. */
      alternatives: [...written, ...others.filter((one) => !isTyped(one))],
    };
  });
}

/** What is no name: `not open`, `not working`. */
const isNamed = (words: string) =>
  words
    .split(' ')
    .every(
      (word) => shareOfWord(word) === 1 && !stopWords.has(word) && !/(?:able|ed|found|ible|ing)$/.test(word),
    );

const findConditions = (query: string) =>
  [...query.matchAll(conditions)]
    .filter(({ groups: { other } = {} }) => other === undefined || isNamed(other.toLowerCase()))
    .map(({ 0: text, index, groups: { minus, phrase, word, other } = {} }) => ({
      text,
      index,
      words: phrase ?? word ?? other ?? '',
      isExcluded: (minus ?? word ?? other) !== undefined,
      isSaid: other !== undefined || /\w/.test(minus ?? ''),
    }));

/** Words of the query that exclude, as in `not notion`, where a `-` would. */
export const findNegations = (query: string) => findConditions(query).filter(({ isSaid }) => isSaid);

const behindPrice = String.raw`(?!\S+\s*(?:[%€£]|(?:usdc?|eurc?|dollars?|euros?|cents?|percent)\b))`;
/** As in `OAuth 2.0`, or of an address. */
const decimal = /(?<![\w.])\d+(?:\.\d+)+(?::\d+)?(?![\w.])/;
/** `v4.20`, `2.0.60-rc.1`, `@1.2` behind a name; no part of a name, an address or a price, and no decimal. */
const version = String.raw`(?<version>(?:(?<=\w)@|(?<![\w.$€£\/@-])(?!\d+\.\d+(?:\.\d+\.\d+)?(?![\w.+-]))${behindPrice})v?\d+(?:\.\d+)+(?:[a-z]{1,2}\d*|\.x)?(?:[-+][\w.+-]{0,40})?(?!\w|\.\w|\/))`;
const conditionOrVersion = new RegExp(`${conditions.source}|${version}`, 'giu');

/** Texts of listings have the numbers of others. In quotes, or without other words, it is text. */
export function readVersions(query: string) {
  const versions: string[] = [];
  const text = query.replace(conditionOrVersion, (found, ...groups) => {
    const { version: named } = groups.at(-1) as { version?: string };
    if (named === undefined) return found;
    versions.push(named.replace('@', ''));
    return ' ';
  });
  return toWords(text).length > 0 ? { text, versions } : { text: query, versions: [] };
}

/** A wanted phrase leaves its words. */
const withoutCondition = (
  query: string,
  { text, index, words, isExcluded }: ReturnType<typeof findConditions>[number],
) => `${query.slice(0, index)}${isExcluded ? '' : ` ${words} `}${query.slice(index + text.length)}`;

/** `meant`: what a filter knows does not count, unless the query says nothing else. */
export function parseQuery(query: string, meant: readonly RegExp[] = []) {
  const text = query.slice(0, mostCharacters).replace(forgePrefix, ' ');
  const found = findConditions(text);
  const toPhrases = (isExcluded: boolean) =>
    found
      .filter((one) => one.isExcluded === isExcluded)
      .map(({ words }) => toTerms(words))
      .filter(({ length }) => length > 0);
  const typed = found.reduceRight(withoutCondition, text).replaceAll('"', ' ');
  const others = [...meant, decimal].reduce(
    (left, words) => left.replace(new RegExp(words, 'gi'), ' '),
    typed,
  );
  return {
    words: toQueryWords(typed, new Set(toWords(others).map((word) => word.text))),
    /** In this order, with nothing between. */
    phrases: toPhrases(false),
    excluded: toPhrases(true),
  };
}

/** As written, with the query that is left. */
export const findOmissions = (query: string) =>
  findConditions(query)
    .toSorted((a, b) => Number(b.isExcluded) - Number(a.isExcluded))
    .map((one) => ({
      text: one.text,
      query: withoutCondition(query, one).trim().replace(/\s+/g, ' '),
    }));

/** They say nothing about the service. */
const placeholders: readonly RegExp[] = [
  /\[((describe|insert|add|your)\s[^\]|]*|(description|todo)\b[^\]|]*)\]/i,
  /^(a |an |the )?description of (my|your|the|this) (mcp )?server\b/i,
  /^(a |an )?non[- ]?functional (mcp )?server\b/i,
  /^(still |currently )?(wip|work in progress|tbd|todo|test|testing|placeholder|coming soon)( server| mcp server)?[\s.!]*$/i,
  /^(a |an |my )?(sample|test|dummy|demo|template|example|hello world)( mcp)? server( example)?[\s.!]*$/i,
  /\(placeholder\)/i,
  /^template mcp server\b/i,
  /^(a |an |my |your )?(mcp )?server[\s.!]*$/i,
  /^((a|an|my|your|the|some|super|short|mcp|server|project|test) ){0,2}description[\s.!]*$/i,
];

export const isPlaceholder = (description: string): boolean =>
  placeholders.some((pattern) => pattern.test(description.trim()));

const checksums = 1024;
const milliseconds = 2 ** 43;

/** Spreads age and handles evenly, so that neither decides what is read first. No two ids share one. */
export function toPosition(id: number): number {
  const published_ms = Math.floor(id / checksums);
  return ((id % checksums) ^ (published_ms % checksums)) * milliseconds + published_ms;
}

export function toId(position: number): number {
  const published_ms = position % milliseconds;
  const spread = Math.floor(position / milliseconds);
  return published_ms * checksums + (spread ^ (published_ms % checksums));
}

/** postgres.ts */
export function windowsOf(position: number): number {
  const spread = Math.floor(position / milliseconds);
  let windows = 0;
  for (let size = checksums / 2; size >= 1 && spread < size; size /= 2) windows += 1;
  return windows;
}

/** Best match (without words, oldest first), newest, or last updated first. */
export type SearchSort = 'relevance' | 'published' | 'updated';

/** With all facets. */
export interface SearchQuery<Wanted = Facet> {
  readonly text: string;
  readonly facets: readonly Wanted[];
  readonly sort: SearchSort;
  /** All if absent. */
  readonly most?: number | undefined;
  /** Handles that come first if they have the facets, because the text names them. */
  readonly named?: readonly string[];
  /** What of the text counts for little, because a filter knows it. */
  readonly meant?: readonly RegExp[];
}

/** A listing has the stems `terms`, and not the word. */
export interface Instead {
  readonly typed: string;
  readonly terms: readonly string[];
}

export interface SearchHit {
  readonly id: number;
  /** Words that count and that it has as typed, or in another form; undefined for one that is named. */
  readonly matched: number | undefined;
  readonly instead: readonly Instead[];
}

/** Within `total`. */
export interface SearchCounts {
  readonly total: number;
  /** There may be more. */
  readonly capped: boolean;
  readonly facets: Readonly<Record<Facet, number>>;
}
