import { Holder, namespaceIdentity } from '../core/identity.ts';

/**
 * `kind:value`, such as `tag:webhooks`, `transport:streamable-http`, `state:claimed` or `has:endpoint`. The
 * last two kinds only find a listing and appear in no answer (listings/references/references.ts).
 */
export type Facet =
  `${'tag' | 'transport' | 'state' | 'package' | 'has' | 'is' | 'seen' | 'owner' | 'publisher'}:${string}`;

/** A facet that a listing must have, or several, one of which it must have. */
export type FacetChoice = Facet | readonly Facet[];

/** Tells whether a facet follows from the last check of the listing. */
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

/** The label of a handle's publisher: the account, or the name of the registered domain. */
export const ownerLabel = (handle: string): string => toLabel(namespaceIdentity(handle));

/** The facets that find the listings of a publisher by its name, and by its account or domain. */
export function ownerFacets(handle: string): Facet[] {
  const identity = namespaceIdentity(handle);
  return [`owner:${toLabel(identity)}`, `owner:${identity}`];
}

/** Matches words after a name that say what is wanted from its owner. */
const endings = /\s+(?:official|mcp|server|servers|api|connector|integration)$/i;
const longest = 100;
const domain = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;

/**
 * The facets of a publisher that a query names, as in `notion`, `hugging face` or `stripe mcp`, or by its
 * domain or namespace, as in `notion.com` or `com.notion`. Empty if the query has quotes, exclusions or a
 * slash.
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
