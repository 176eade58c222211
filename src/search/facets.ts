/** Kinds of facet; a listing is found by the last two, and has them in no answer (listings/references.ts). */
type FacetKind = ('tag' | 'transport' | 'state' | 'package' | 'has' | 'is') | ('owner' | 'publisher');
/** `kind:value`, for example `tag:webhooks`, `transport:streamable-http`, `state:claimed`, `has:endpoint`. */
export type Facet = `${FacetKind}:${string}`;

/** Facets of a listing with those that follow from its claim and its ratings brought up to date. */
export function withNativeFacets(
  facets: readonly Facet[],
  state: string,
  hasNativeRatings: boolean,
): Facet[] {
  const recorded = facets.filter((facet) => !facet.startsWith('state:') && facet !== 'has:ratings');
  return [...recorded, `state:${state}`, ...(hasNativeRatings ? ['has:ratings' as const] : [])];
}
