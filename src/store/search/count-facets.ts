import type { Facet } from '../../evidence/listing/facets.ts';
import type { SearchCounts } from '../contract/listings.ts';

/** Counts listings and their facets, given the facets of each as text. */
export function countFacets(facetTexts: readonly string[], capped: boolean): SearchCounts {
  // Many listings have the same facets: each text is split once.
  const alike = new Map<string, number>();
  for (const text of facetTexts) alike.set(text, (alike.get(text) ?? 0) + 1);
  const counts = new Map<string, number>();
  for (const [text, listings] of alike)
    for (const facet of text.split(' ')) counts.set(facet, (counts.get(facet) ?? 0) + listings);
  counts.delete('');
  const facets: Record<Facet, number> = Object.fromEntries(counts);
  return { total: facetTexts.length, capped, facets };
}
