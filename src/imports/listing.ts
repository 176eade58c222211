import { claimStates } from '../claims/claim.ts';
import {
  isSpecified,
  type Listing,
  type ListingVersion,
  toStaticRank,
  type VersionSummary,
} from '../listings/listing.ts';
import { deriveOwners } from '../listings/naming.ts';
import { toTags } from '../listings/tags.ts';
import { type Facet, isOfCheck, withNativeFacets } from '../search/facets.ts';
import { type RecordedServer, recordedOf, toRecorded } from './recorded.ts';

/** `at`, RFC 3339, is when the page is read. */
export interface PageFacts {
  readonly origin: string;
  readonly at: string;
  readonly runId: number;
}

const kinds = (values: readonly (string | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => (value && /^[a-z0-9][a-z0-9.-]{0,31}$/.test(value) ? value : []))),
];

const urlsOf = (remotes: Listing['remotes'] = []) => remotes.map(({ url }) => url).join('\n');

/** From claim and ratings as known; from checks too, if the endpoints are the same. */
function toTagsAndFacets(
  recorded: RecordedServer,
  { origin, origin_status }: Pick<Listing, 'origin' | 'origin_status'>,
  known: Listing | undefined,
) {
  const { title, description, remotes, packages, keywords, endpoint, repository, hasUnreadWay } = recorded;
  const transports = kinds([
    ...remotes.map(({ type }) => type),
    ...packages.map(({ transport }) => transport),
  ]);
  const packageTypes = kinds(packages.map(({ registry_type }) => registry_type));
  const hasRemote = remotes.length > 0;
  const tags = toTags({ title, description, keywords, hasRemote, packageTypes, transports });
  const native = known?.facets ?? [];
  const ways = [...remotes, ...packages];
  const mayAskForSecret =
    hasUnreadWay || ways.some(({ inputs, unread }) => unread || inputs?.some(({ secret }) => secret));
  const state = claimStates.find((name) => native.includes(`state:${name}`)) ?? 'imported';
  const hasNativeRatings = native.includes('has:ratings');
  const flags: readonly (readonly [Facet, boolean])[] = [
    ['has:endpoint', endpoint !== undefined],
    ['has:repository', repository !== undefined],
    ['is:active', origin_status === 'active'],
    // The specification does not say whether secrets are needed.
    ['is:without_secret', ways.length > 0 && !mayAskForSecret && !isSpecified({ origin })],
  ];
  const facets = new Set<Facet>([
    ...tags.map(({ tag }) => `tag:${tag}` as const),
    ...transports.map((one) => `transport:${one}` as const),
    ...packageTypes.map((one) => `package:${one}` as const),
    ...flags.flatMap(([facet, has]) => (has ? [facet] : [])),
    ...(urlsOf(known?.remotes) === urlsOf(remotes) ? native.filter(isOfCheck) : []),
  ]);
  return { tags, facets: withNativeFacets([...facets], state, hasNativeRatings) };
}

/** All `versions`, and pickShown's. Without one it is withdrawn, without the publisher's texts. */
export function toListing(
  handle: string,
  {
    versions,
    shown,
    known,
  }: {
    readonly versions: readonly VersionSummary[];
    readonly shown: ListingVersion | undefined;
    readonly known: Listing | undefined;
  },
  { origin, at, runId }: PageFacts,
): Listing {
  const recorded = shown ? recordedOf(shown) : toRecorded({});
  const [published_at = ''] = versions.map((version) => version.published_at).sort();
  const updated_at =
    shown?.updated_at ?? versions.reduce((last, one) => (one.updated_at > last ? one.updated_at : last), '');
  const { keywords: _, hasUnreadWay: __, ...fields } = recorded;
  const origin_status = shown?.status === 'deprecated' ? 'deprecated' : 'active';
  return {
    id: toStaticRank(handle, published_at),
    handle,
    ...fields,
    owners: shown && deriveOwners({ handle, ...fields }),
    version: shown?.version ?? '',
    origin,
    origin_status,
    status_message: shown?.status_message,
    published_at,
    updated_at,
    imported_at: at,
    import_run: runId,
    ...(versions.some(({ undated }) => undated) && { undated: true }),
    withdrawn: shown ? undefined : 'deleted',
    ...(shown ? toTagsAndFacets(recorded, { origin, origin_status }, known) : { tags: [], facets: [] }),
  };
}
