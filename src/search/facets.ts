import { Holder, namespaceIdentity } from '../core/identity.ts';

/**
 * Such as `tag:webhooks` or `has:endpoint`. `owner` and `publisher` serve to find listings, and appear in
 * no answer.
 */
export type Facet =
  `${'tag' | 'transport' | 'state' | 'package' | 'has' | 'is' | 'seen' | 'owner' | 'publisher'}:${string}`;

/** Of a list, a listing must have at least one. */
export type FacetChoice = Facet | readonly Facet[];

export const isOfCheck = (facet: Facet): boolean => facet.startsWith('seen:');

export function withNativeFacets(
  facets: readonly Facet[],
  state: string,
  hasNativeRatings: boolean,
): Facet[] {
  const recorded = facets.filter((facet) => !facet.startsWith('state:') && facet !== 'has:ratings');
  return [...recorded, `state:${state}`, ...(hasNativeRatings ? ['has:ratings' as const] : [])];
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const toLabel = (identity: string) =>
  letters((identity.includes('/') ? identity.split('/')[1] : identity.split('.')[0]) ?? '');

/** The account, or the first label of the registered domain, in letters and digits. */
export const ownerLabel = (handle: string): string => toLabel(namespaceIdentity(handle));

export function ownerFacets(handle: string): Facet[] {
  const identity = namespaceIdentity(handle);
  return [`owner:${toLabel(identity)}`, `owner:${identity}`];
}

/** Words that say what is wanted of the owner named before. */
const endings = /\s+(?:official|mcp|server|servers|api|connector|integration)$/i;
const longest = 100;
const domain = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;

/**
 * Of the publisher that a query may name: by name (`notion`, `hugging face`, `stripe mcp`), domain
 * (`notion.com`) or namespace (`com.notion`). None for quotes, exclusions and slashes.
 */
export function toOwnerFacets(query: string): Facet[] {
  let text = query.trim().toLowerCase();
  if (text.length > longest || /["/]|(?:^|\s)-/.test(text)) return [];
  if (domain.test(text)) {
    const reversed = text.split('.').toReversed().join('.');
    return [...new Set([text, reversed])].map((name): Facet => `owner:${Holder.ofHost(name).id}`);
  }
  while (endings.test(text)) text = text.replace(endings, '');
  const label = letters(text);
  return label ? [`owner:${label}`] : [];
}
