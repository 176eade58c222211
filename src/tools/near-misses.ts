import { z } from 'zod';
import type { Facet } from '../evidence/facets.ts';
import { toSearchText } from '../evidence/search-text.ts';
import { closestWord, knownWords } from '../evidence/spelling.ts';
import type { ListingReads } from '../store/store.ts';

const mostNear = 5;
/** Words and filters that are left out for a try; each is one bounded count. */
const mostTries = 8;
const mostCorrected = 3;
const shortestCorrected = 4;
const shortestStart = 3;
const startsRead = 20;

/** What search_agents says where nothing matches. */
export const nearMisses = z.object({
  near: z.array(z.string()).describe('handles'),
  did_you_mean: z.string().optional(),
  leave_out: z.array(z.object({ word: z.string().optional(), facet: z.string().optional(), count: z.int() })),
});
export type NearMisses = z.infer<typeof nearMisses>;

/** A search in which all words and all facets must match. */
interface Search {
  readonly words: readonly string[];
  readonly facets: readonly Facet[];
}

/** One word or filter less, and what is found then. */
interface Try {
  readonly search: Search;
  readonly left: { readonly word: string } | { readonly facet: Facet };
  readonly count: number;
}

const without = <T>(items: readonly T[], item: T) => items.filter((other) => other !== item);

/** What leaving out one word or filter would find, the least first: it is the nearest. Never leaves out the last one. */
async function tryWithout({ words, facets }: Search, listings: ListingReads): Promise<Try[]> {
  const less = [
    ...words.map((word) => ({ left: { word }, search: { words: without(words, word), facets } })),
    ...facets.map((facet) => ({ left: { facet }, search: { words, facets: without(facets, facet) } })),
  ];
  if (less.length < 2) return [];
  const tried = await Promise.all(
    less
      .slice(0, mostTries)
      .map(async (one) => ({ ...one, count: (await listings.searchCounts(one.search)).total })),
  );
  return tried.filter(({ count }) => count > 0).sort((a, b) => a.count - b.count);
}

const isFound = async (word: string, listings: ListingReads) =>
  (await listings.searchCounts({ words: [word], facets: [] })).total > 0;

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

/** The words with those that stand nowhere spelt as they stand somewhere; undefined where that changes nothing. */
async function correctAll(words: readonly string[], listings: ListingReads): Promise<string[] | undefined> {
  const found = await Promise.all(words.map((word) => isFound(word, listings)));
  const unknown = words.filter((word, at) => !found[at] && word.length >= shortestCorrected);
  const corrected = new Map<string, string>();
  for (const word of unknown.slice(0, mostCorrected)) {
    const right = await correct(word, listings);
    if (right) corrected.set(word, right);
  }
  return corrected.size === 0 ? undefined : words.map((word) => corrected.get(word) ?? word);
}

const handlesOf = async (search: Search, listings: ListingReads) =>
  (await listings.search({ ...search, after: undefined, limit: mostNear })).map((hit) => hit.listing.handle);

/** What another spelling finds: with the filters, or at least without them. */
async function respell(
  { words, facets }: Search,
  listings: ListingReads,
): Promise<Omit<NearMisses, 'leave_out'>> {
  const corrected = await correctAll(words, listings);
  if (!corrected) return { near: [] };
  const near = await handlesOf({ words: corrected, facets }, listings);
  if (near.length > 0) return { near, did_you_mean: corrected.join(' ') };
  return { near: await handlesOf({ words: corrected, facets: [] }, listings) };
}

/**
 * Why a search found nothing and what is near it: another spelling that finds something, handles, and what one word
 * or filter less would find. A fixed number of bounded reads, however many listings there are.
 */
export async function findNearMisses(
  query: string,
  { words, facets }: Search,
  listings: ListingReads,
): Promise<NearMisses> {
  const search = { words: [...new Set(words)], facets };
  const tries = await tryWithout(search, listings);
  const leave_out = tries.map(({ left, count }) => ({ ...left, count }));
  const meant = await respell(search, listings);
  if (meant.near.length > 0) return { ...meant, leave_out };
  const near = query.includes('/') ? await listings.near(query.trim(), mostNear) : [];
  if (near.length > 0 || !tries[0]) return { near, leave_out };
  return { near: await handlesOf(tries[0].search, listings), leave_out };
}
