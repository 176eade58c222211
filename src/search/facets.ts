/** Kinds of facet; a listing is found by those of the second line, and has them in no answer (listings/references.ts). */
export type FacetKind =
  | ('tag' | 'transport' | 'state' | 'package' | 'has' | 'is')
  | ('at' | 'owner' | 'publisher');
/** `kind:value`, for example `tag:webhooks`, `transport:streamable-http`, `state:claimed`, `has:endpoint`. */
export type Facet = `${FacetKind}:${string}`;

/** What the facets of a listing are derived from. */
export interface FacetFacts {
  readonly tags: readonly string[];
  readonly transports: readonly string[];
  readonly packageTypes: readonly string[];
  readonly hasEndpoint: boolean;
  readonly hasRepository: boolean;
  readonly isActive: boolean;
  /** Its record says how it is reached or run, and asks for no secret there. */
  readonly needsNoSecret: boolean;
  readonly state: string;
  readonly hasNativeRatings: boolean;
}

/** The facets of a listing, each once. */
export function toFacets(facts: FacetFacts): Facet[] {
  const flags: Facet[] = [
    ...(facts.hasEndpoint ? (['has:endpoint'] as const) : []),
    ...(facts.hasRepository ? (['has:repository'] as const) : []),
    ...(facts.hasNativeRatings ? (['has:ratings'] as const) : []),
    ...(facts.isActive ? (['is:active'] as const) : []),
    ...(facts.needsNoSecret ? (['is:without_secret'] as const) : []),
  ];
  const named = (kind: FacetKind, values: readonly string[]) =>
    values.map((value): Facet => `${kind}:${value}`);
  return [
    ...new Set([
      ...named('tag', facts.tags),
      ...named('transport', facts.transports),
      ...named('package', facts.packageTypes),
      ...named('state', [facts.state]),
      ...flags,
    ]),
  ];
}

/** Facets of a listing with those that follow from its claim and its ratings brought up to date. */
export function withNativeFacets(
  facets: readonly Facet[],
  state: string,
  hasNativeRatings: boolean,
): Facet[] {
  const recorded = facets.filter((facet) => !facet.startsWith('state:') && facet !== 'has:ratings');
  return [...recorded, `state:${state}`, ...(hasNativeRatings ? ['has:ratings' as const] : [])];
}
