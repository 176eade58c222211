import { closestWord, knownWords } from '../../evidence/listing/spelling.ts';
import { toSearchText } from '../../evidence/text/search-text.ts';
import type { ListingReads } from '../../store/contract/listings.ts';

const maxCorrected = 3;
const minCorrectedLength = 4;
const minPrefixLength = 3;
const listingsPerPrefix = 20;

const isFound = async (word: string, listings: ListingReads) =>
  (await listings.search({ words: [word], facets: [], after: undefined, limit: 1 })).length > 0;

/** The words that no listing contains, not even as a prefix. */
export async function findUnknownWords(words: readonly string[], listings: ListingReads): Promise<string[]> {
  const found = await Promise.all(words.map((word) => isFound(word, listings)));
  return words.filter((_, at) => !found[at]);
}

/** Words of listings that share a prefix with a word: at most three prefixes, the longest first. */
async function* wordsAlike(word: string, listings: ListingReads): AsyncGenerator<Set<string>> {
  const lengths = [0.75, 0.5, 0].map((part) => Math.max(Math.ceil(word.length * part), minPrefixLength));
  for (const length of new Set(lengths)) {
    const words = [word.slice(0, length)];
    const hits = await listings.search({ words, facets: [], after: undefined, limit: listingsPerPrefix });
    const texts = hits.map(({ listing }) => toSearchText(listing));
    yield new Set(texts.flatMap(({ name, tags, body }) => [...name, ...tags, ...body]));
  }
}

async function correct(word: string, listings: ListingReads): Promise<string | undefined> {
  const known = closestWord(word, knownWords);
  if (known && (await isFound(known, listings))) return known;
  for await (const words of wordsAlike(word, listings)) {
    const alike = closestWord(word, words);
    if (alike) return alike;
  }
  return undefined;
}

/** The words with up to three unknown ones corrected to words of listings; undefined if none could be corrected. */
export async function respell(
  words: readonly string[],
  unknown: readonly string[],
  listings: ListingReads,
): Promise<string[] | undefined> {
  const corrected = new Map<string, string>();
  for (const word of unknown.filter(({ length }) => length >= minCorrectedLength).slice(0, maxCorrected)) {
    const right = await correct(word, listings);
    if (right) corrected.set(word, right);
  }
  return corrected.size === 0 ? undefined : words.map((word) => corrected.get(word) ?? word);
}
