import type { Listing } from '../listing.ts';

/** Name of the sample as a source of imports, for a first run without a network. */
export const sampleSource = 'sample';

/** Origin of the made-up listings of the shipped sample. */
export const sampleOrigin = 'sample shipped with Dossier, not a registry';
const specificationOrigin = 'registry, as given in the specification, not read there';
/** Origins of the listings of the shipped sample. */
export const sampleOrigins = [sampleOrigin, specificationOrigin] as const;
const specified: ReadonlySet<string> = new Set(['co.webhook/webhook', 'com.politicalcomms/api']);

/** The origin of a listing of the shipped sample. */
export const sampleOriginOf = (handle: string): string =>
  specified.has(handle) ? specificationOrigin : sampleOrigin;

/** Whether a listing is one of the shipped sample; the origin of any other has its kind, `(MCP)`. */
export const isSample = ({ origin }: Pick<Listing, 'origin'>): boolean =>
  origin === sampleOrigin || origin === specificationOrigin;

/** Whether the sample quotes the specification, so that nothing but the sample's own file was read. */
export const isSpecified = ({ origin }: Pick<Listing, 'origin'>): boolean => origin === specificationOrigin;

/** What a listing of the shipped sample is; undefined for any other listing. */
export function sampleSentence(listing: Pick<Listing, 'origin'>): string | undefined {
  if (isSpecified(listing))
    return 'Sample: the description, the repository and the endpoint, if any, are as given in the specification of Dossier and were not read from a registry. The version and the dates are those of the sample.';
  return isSample(listing)
    ? 'Sample: this listing is made up and shipped with Dossier. It was not read from a registry.'
    : undefined;
}
