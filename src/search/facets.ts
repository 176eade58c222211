import { Holder, namespaceIdentity } from '../core/identity.ts';
import { lightWords, stopWords } from './words.ts';

/** `tag:webhooks`, `has:endpoint`. `told`, `owner` and `publisher` are in no answer. */
export type Facet =
  `${'tag' | 'transport' | 'state' | 'package' | 'has' | 'is' | 'seen' | 'told' | 'owner' | 'publisher'}:${string}`;

/** One of a list is enough. */
export type FacetChoice = Facet | readonly Facet[];

export const isOfCheck = (facet: Facet): boolean => /^(?:seen|told):/.test(facet);

export function withNativeFacets(
  facets: readonly Facet[],
  state: string,
  hasNativeRatings: boolean,
): Facet[] {
  const recorded = facets.filter((facet) => !facet.startsWith('state:') && facet !== 'has:ratings');
  return [...recorded, `state:${state}`, ...(hasNativeRatings ? ['has:ratings' as const] : [])];
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const labelOf = (identity: string): string =>
  (identity.includes('/') ? identity.split('/')[1] : identity.split('.')[0]) ?? '';
const toLabel = (identity: string) => letters(labelOf(identity));

/** Letters and digits of the account, or of the registered domain's first label. */
export const ownerLabel = (handle: string): string => toLabel(namespaceIdentity(handle));

export function ownerFacets(handle: string): Facet[] {
  const identity = namespaceIdentity(handle);
  return [`owner:${toLabel(identity)}`, `owner:${identity}`];
}

/** Wanted of the owner named beside them. */
const around = /^(?:official|the|mcp)\s+|\s+(?:official|mcp|server|servers|api|connector|integration)$/i;
const longest = 100;
const domain = /^(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;

/** Of a domain or a reversed one; none for any other text. */
export function domainOwners(text: string): string[] {
  const reversed = text.split('.').toReversed().join('.');
  return domain.test(text) ? [...new Set([text, reversed].map((name) => Holder.ofHost(name).id))] : [];
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
  if (domain.test(text)) return domainOwners(text).map((owner): Facet => `owner:${owner}`);
  const label = letters(text);
  return label ? [`owner:${label}`] : [];
}

/** Letter by letter: `bexley bank` is the label of bexleybank.com, not of bexley-bank.com. */
export const isLabelOf = (handle: string, query: string): boolean =>
  labelOf(namespaceIdentity(handle)) === withoutWanted(query).replace(/\s+/g, '');

const mostNamed = 5;

/** Whoever has one of several words as a name, as in `notion pages`. */
export function toWordOwners(query: string): Facet[] {
  const words = withoutWanted(query).slice(0, longest).split(/\s+/).map(letters);
  const telling = words.filter((word) => word.length > 2 && !lightWords.has(word) && !stopWords.has(word));
  return telling.length > 1 ? telling.slice(0, mostNamed).map((word): Facet => `owner:${word}`) : [];
}
