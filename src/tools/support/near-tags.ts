import { distance } from 'fastest-levenshtein';
import type { Facet } from '../../evidence/listing/facets.ts';
import { matchPhrases } from '../../evidence/tags/phrases.ts';
import { Problem } from '../../problem.ts';
import type { ListingReads } from '../../store/contract/listings.ts';

const mostNear = 5;
/** The most frequent tags, which an unknown one is compared with. */
const mostCompared = 2000;
/** A longer one is compared with none. */
const longestTag = 100;

/** Tags near an unknown one: those the vocabulary gives its words, then similar ones, the most similar first. */
function toNearTags(tag: string, frequent: readonly string[]): string[] {
  const meant = new Set(matchPhrases(tag.split(/[.-]/)).map((match) => match.tag));
  const similar = frequent
    .map((other) => ({ other, edits: other.includes(tag) || tag.includes(other) ? 1 : distance(tag, other) }))
    .filter(({ other, edits }) => other.length > 2 && edits <= Math.max(1, Math.floor(other.length / 3)))
    .sort((a, b) => a.edits - b.edits)
    .map(({ other }) => other);
  return [...new Set([...frequent.filter((other) => meant.has(other)), ...similar])].slice(0, mostNear);
}

/** Those tags of a search that no listing has, each with the nearest tags that listings have. */
export async function findUnknownTags(listings: ListingReads, facets: readonly Facet[]) {
  const tags = facets.filter((facet) => facet.startsWith('tag:')).map((facet) => facet.slice('tag:'.length));
  if (tags.length === 0) return [];
  const known = (await listings.facetCounts('tag')).map(({ facet }) => facet.slice('tag:'.length));
  const all = new Set(known);
  const frequent = known.slice(0, mostCompared);
  return tags.filter((tag) => !all.has(tag)).map((tag) => ({ tag, near: toNearTags(tag, frequent) }));
}

/** Throws not_found for a tag that no listing has, with the nearest tags that listings have. */
export async function refuseUnknownTag(tag: string, listings: ListingReads): Promise<void> {
  const detail = 'No listing has this tag.';
  if (tag.length > longestTag) throw new Problem('not_found', { detail });
  const [unknown] = await findUnknownTags(listings, [`tag:${tag}`]);
  if (unknown) throw new Problem('not_found', { detail, near: unknown.near });
}
