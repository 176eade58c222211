import { claimStates } from '../claims/claim.ts';
import { type Listing, type ListingVersion, toStaticRank, type VersionSummary } from '../listings/listing.ts';
import { toTags } from '../listings/tags.ts';
import { toFacets, withNativeFacets } from '../search/facets.ts';
import { newest, oldest } from './entry.ts';
import { nothingRecorded, type Recorded, recordedOf } from './recorded.ts';

const kindForm = /^[a-z0-9][a-z0-9.-]{0,31}$/;

/** What a listing is derived from. */
export interface ListingSource {
  readonly handle: string;
  /** Every version in the registry, in any order; at least one. */
  readonly versions: readonly VersionSummary[];
  /** The version shown (see pickShown), with its record; undefined if the registry deleted every version. */
  readonly shown: ListingVersion | undefined;
  /** The stored listing, if there is one. */
  readonly known: Listing | undefined;
  readonly importedAt: string;
  /** The run that reads it. */
  readonly runId: number;
}

const kinds = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => (value && kindForm.test(value) ? value : []))),
];

/** Tags and facets. Claim and rating facets are those of the known listing. */
function toTagsAndFacets(recorded: Recorded, isActive: boolean, known: Listing | undefined) {
  const { title, description, remotes, packages, keywords, endpoint, repository } = recorded;
  const transports = kinds([
    ...remotes.map(({ type }) => type),
    ...packages.map(({ transport }) => transport),
  ]);
  const packageTypes = kinds(packages.map(({ registry_type }) => registry_type));
  const hasRemote = remotes.length > 0;
  const tags = toTags({ title, description, keywords, hasRemote, packageTypes, transports });
  const native = known?.facets ?? [];
  const ways = [...remotes, ...packages];
  const asksForSecret = ways.some(({ inputs }) => inputs?.some(({ secret }) => secret));
  const state = claimStates.find((name) => native.includes(`state:${name}`)) ?? 'imported';
  const hasNativeRatings = native.includes('has:ratings');
  const facets = toFacets({
    tags: tags.map(({ tag }) => tag),
    transports,
    packageTypes,
    hasEndpoint: endpoint !== undefined,
    hasRepository: repository !== undefined,
    isActive,
    needsNoSecret: ways.length > 0 && !asksForSecret,
    state,
    hasNativeRatings,
  });
  // In the order that reindexing writes, so that an unchanged listing is equal.
  return { tags, facets: withNativeFacets(facets, state, hasNativeRatings) };
}

/**
 * Derives a server's listing from all its versions; pure. `published_at` is the oldest publication of all its versions. A
 * listing whose versions are all deleted is withdrawn and has no publisher text.
 */
export function toListing(
  { handle, versions, shown, known, importedAt, runId }: ListingSource,
  origin: string,
): Listing {
  const recorded = shown ? recordedOf(shown) : nothingRecorded;
  const published_at = oldest(versions.map((version) => version.published_at));
  const { keywords: _, ...fields } = recorded;
  const origin_status = shown?.status === 'deprecated' ? 'deprecated' : 'active';
  return {
    id: toStaticRank(handle, published_at),
    handle,
    ...fields,
    version: shown?.version ?? '',
    origin,
    origin_status,
    status_message: shown?.status_message,
    published_at,
    updated_at: shown?.updated_at ?? newest(versions.map((version) => version.updated_at)),
    imported_at: importedAt,
    import_run: runId,
    withdrawn: shown ? undefined : 'deleted',
    ...(shown ? toTagsAndFacets(recorded, origin_status === 'active', known) : { tags: [], facets: [] }),
  };
}
