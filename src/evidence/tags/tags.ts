import type { ListingTag } from '../listing/listing-document.ts';
import { tokenize } from '../text/tokenize.ts';
import { matchPhrases } from './phrases.ts';

const maxTags = 8;
const maxWordTags = 5;
const maxRecordedTags = 3;
const keywordForm = /^[a-z0-9][a-z0-9-]{1,31}$/;

/** What tags are derived from. */
export interface TagFacts {
  readonly title: string | undefined;
  readonly description: string;
  /** Keywords from the publisher's record. */
  readonly keywords: readonly string[];
  readonly hasRemote: boolean;
  /** Recorded package types, as `npm`. */
  readonly packageTypes: readonly string[];
  /** Recorded transports of remotes and packages, as `stdio`. */
  readonly transports: readonly string[];
}

/** Where a phrase ends: punctuation before a space, so that the dot of "next.js" is none. */
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

function once(
  tags: readonly ListingTag[],
  most: number,
  taken: ReadonlySet<string> = new Set(),
): ListingTag[] {
  const chosen = new Map<string, ListingTag>();
  for (const tag of tags) if (!taken.has(tag.tag) && !chosen.has(tag.tag)) chosen.set(tag.tag, tag);
  return [...chosen.values()].slice(0, most);
}

/**
 * The tags of a listing, at most 8, each with its reason: at most 5 of the curated vocabulary, then publisher keywords
 * while there is room, then at most 3 recorded facts. The same facts always give the same tags.
 */
export function toTags(facts: TagFacts): ListingTag[] {
  const recorded = once(factTags(facts), maxRecordedTags);
  const named = once(vocabularyTags(facts), maxWordTags, new Set(recorded.map(({ tag }) => tag)));
  const taken = new Set([...recorded, ...named].map(({ tag }) => tag));
  return [...named, ...once(keywordTags(facts), maxTags - taken.size, taken), ...recorded];
}
