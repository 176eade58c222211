import { closestWord, knownWords } from '../../evidence/listing/spelling.ts';
import { toSearchText } from '../../evidence/text/search-text.ts';
import type { ListingReads } from '../../store/contract/listings.ts';

const mostCorrected = 3;
const shortestCorrected = 4;
const shortestStart = 3;
const startsRead = 20;

const isFound = async (word: string, listings: ListingReads) =>
  (await listings.search({ words: [word], facets: [], after: undefined, limit: 1 })).length > 0;

/** Those of some words that no listing has, not even as a beginning. */
export async function wordsFoundNowhere(words: readonly string[], listings: ListingReads): Promise<string[]> {
  const found = await Promise.all(words.map((word) => isFound(word, listings)));
  return words.filter((_, at) => !found[at]);
}

/** Words of listings that begin like a word, by three beginnings of it at the most, the longest first. */
async function* wordsAlike(word: string, listings: ListingReads): AsyncGenerator<Set<string>> {
  const lengths = [0.75, 0.5, 0].map((part) => Math.max(Math.ceil(word.length * part), shortestStart));
  for (const length of new Set(lengths)) {
    const words = [word.slice(0, length)];
    const hits = await listings.search({ words, facets: [], after: undefined, limit: startsRead });
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

/** Words with the unknown ones (at most three of them) spelt as listings spell them; undefined where none could be. */
export async function respell(
  words: readonly string[],
  unknown: readonly string[],
  listings: ListingReads,
): Promise<string[] | undefined> {
  const corrected = new Map<string, string>();
  for (const word of unknown.filter(({ length }) => length >= shortestCorrected).slice(0, mostCorrected)) {
    const right = await correct(word, listings);
    if (right) corrected.set(word, right);
  }
  return corrected.size === 0 ? undefined : words.map((word) => corrected.get(word) ?? word);
}
