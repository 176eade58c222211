import { z } from 'zod';
import type { Facet } from '../../evidence/listing/facets.ts';
import type { ListingReads } from '../../store/contract/listings.ts';
import { findUnknownWords, respell } from './respell.ts';

const maxNear = 5;
/** Searches tried with one word or filter less, and how many of them are reported. */
const maxTries = 8;
const maxReported = 3;

/** What search_agents suggests if nothing matches. */
export const nearMisses = z.object({
  near: z.array(z.string()).describe('handles'),
  did_you_mean: z.string().optional(),
  leave_out: z.array(z.object({ word: z.string().optional(), facet: z.string().optional(), count: z.int() })),
});
export type NearMisses = z.infer<typeof nearMisses>;

/** A search; all words and all facets must match. */
interface Search {
  readonly words: readonly string[];
  readonly facets: readonly Facet[];
}

/** A search with one word or filter less, and how many listings it finds. */
interface Try {
  readonly search: Search;
  readonly left: { readonly word: string } | { readonly facet: Facet };
  readonly count: number;
}

const without = <T>(items: readonly T[], item: T) => items.filter((other) => other !== item);

/** The searches to try: without the one unknown word, or without any one word or filter if all words are known. */
function toTries({ words, facets }: Search, unknown: readonly string[]): Omit<Try, 'count'>[] {
  const less = [
    ...words.map((word) => ({ left: { word }, search: { words: without(words, word), facets } })),
    ...facets.map((facet) => ({ left: { facet }, search: { words, facets: without(facets, facet) } })),
  ];
  if (less.length < 2 || unknown.length > 1) return [];
  return less.filter(({ search }) => !unknown[0] || !search.words.includes(unknown[0])).slice(0, maxTries);
}

/** The tries that find something, fewest hits first: those are nearest to the search. */
async function countTries(tries: readonly Omit<Try, 'count'>[], listings: ListingReads): Promise<Try[]> {
  const counted: Try[] = [];
  for (const one of tries) {
    const { total: count } = await listings.searchCounts(one.search);
    if (count > 0 && counted.push({ ...one, count }) === maxReported) break;
  }
  return counted.sort((a, b) => a.count - b.count);
}

const handlesOf = async (search: Search, listings: ListingReads) =>
  (await listings.search({ ...search, after: undefined, limit: maxNear })).map((hit) => hit.listing.handle);

/** What another spelling finds, with the filters or else without them. */
async function findRespelt(
  { words, facets }: Search,
  unknown: readonly string[],
  listings: ListingReads,
): Promise<Omit<NearMisses, 'leave_out'>> {
  const respelt = await respell(words, unknown, listings);
  if (!respelt) return { near: [] };
  const near = await handlesOf({ words: respelt, facets }, listings);
  if (near.length > 0) return { near, did_you_mean: respelt.join(' ') };
  return { near: await handlesOf({ words: respelt, facets: [] }, listings) };
}

/**
 * Suggestions for a search that found nothing: near handles, another spelling, and what one word or filter less would
 * find. Takes about forty reads at most, most of them of a single listing, whatever the size of the directory.
 */
export async function findNearMisses(
  query: string,
  { words, facets }: Search,
  listings: ListingReads,
): Promise<NearMisses> {
  const search = { words: [...new Set(words)], facets };
  const unknown = await findUnknownWords(search.words, listings);
  const tries = await countTries(toTries(search, unknown), listings);
  const leave_out = tries.map(({ left, count }) => ({ ...left, count }));
  const near = query.includes('/') ? await listings.near(query.trim(), maxNear) : [];
  if (near.length > 0) return { near, leave_out };
  const respelt = await findRespelt(search, unknown, listings);
  if (respelt.near.length > 0 || !tries[0]) return { ...respelt, leave_out };
  return { near: await handlesOf(tries[0].search, listings), leave_out };
}
