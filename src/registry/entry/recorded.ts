import type { Listing, ListingVersion } from '../../evidence/listing/listing.ts';
import type { ListingPackage, ListingRemote } from '../../evidence/listing/listing-document.ts';
import { toRepositoryKey } from '../../evidence/repository-key.ts';
import { toLine } from '../../evidence/text/sanitize.ts';
import { packageInputs, remoteInputs } from './inputs.ts';
import { publisherFields } from './publisher-fields.ts';
import { publisherKeywords, type ServerJson } from './server-json.ts';

const longestText = 500;
const longestUrl = 2048;
const mostRecorded = 100;

/** The parts of a server.json that a listing shows, cleaned, each on one line; absent parts are undefined. */
export type Recorded = Pick<
  Listing,
  'title' | 'description' | 'endpoint' | 'repository' | 'repository_key' | 'website'
> & {
  readonly remotes: readonly ListingRemote[];
  readonly packages: readonly ListingPackage[];
  readonly keywords: readonly string[];
  /** Names of fields that are stored and not read (publisher-fields.ts). */
  readonly unread: readonly string[];
};

const line = (text: string | null | undefined) =>
  toLine(text ?? '')
    .slice(0, longestText)
    .toWellFormed();

/** The distinct items, compared as JSON: publishers repeat remotes and packages. */
const once = <T extends object>(items: readonly T[]): T[] =>
  [...new Map(items.map((item) => [JSON.stringify(item), item])).values()].slice(0, mostRecorded);

/** Whether a text is an http or https address that can be called as it is: no template, no user. */
function isAddress(url: string): boolean {
  const parsed = /[{}\s]/.test(url) || url.length > longestUrl ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}

const toRemotes = (server: ServerJson): ListingRemote[] =>
  once(
    (server.remotes ?? [])
      .map((remote) => ({ type: line(remote.type), url: line(remote.url), ...remoteInputs(remote) }))
      .filter(({ url }) => url !== ''),
  );

const toPackages = (server: ServerJson): ListingPackage[] =>
  once(
    (server.packages ?? [])
      .filter(({ identifier }) => identifier)
      .map((recorded) => ({
        registry_type: line(recorded.registryType) || 'unknown',
        identifier: line(recorded.identifier),
        ...(recorded.version && { version: line(recorded.version) }),
        ...(recorded.transport && { transport: line(recorded.transport.type) }),
        ...packageInputs(recorded),
      })),
  );

/** The recorded parts of a server.json. `endpoint` is the first remote without a template. */
function toRecorded(server: ServerJson): Recorded {
  const remotes = toRemotes(server);
  const repository = line(server.repository?.url);
  const repository_key = toRepositoryKey(repository);
  const website = line(server.websiteUrl);
  return {
    title: line(server.title) || undefined,
    description: line(server.description),
    endpoint: remotes.find(({ url }) => isAddress(url))?.url,
    repository: repository_key && repository,
    repository_key,
    website: isAddress(website) ? website : undefined,
    remotes,
    packages: toPackages(server),
    keywords: publisherKeywords(server),
    unread: publisherFields(server),
  };
}

const read = new WeakMap<ListingVersion, Recorded>();

/** The recorded parts of a version; its record is parsed once, though listings and identities are both made of it. */
export function recordedOf(version: ListingVersion): Recorded {
  const known = read.get(version);
  if (known) return known;
  const recorded = toRecorded(JSON.parse(version.record) as ServerJson);
  read.set(version, recorded);
  return recorded;
}

/** The parts of a listing whose publisher text was deleted. */
export const nothingRecorded: Recorded = {
  title: undefined,
  description: '',
  endpoint: undefined,
  repository: undefined,
  repository_key: undefined,
  website: undefined,
  remotes: [],
  packages: [],
  keywords: [],
  unread: [],
};
