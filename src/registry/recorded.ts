import type { ListingPackage, ListingRemote } from '../evidence/listing/listing-document.ts';
import { toLine } from '../evidence/text/sanitize.ts';
import type { ListingRow } from '../store/store.ts';
import { packageInputs, remoteInputs } from './inputs.ts';
import { publisherKeywords, type ServerRecord } from './record.ts';
import { toRepositoryKey } from './repository-key.ts';

const longestText = 500;
const longestUrl = 2048;
const mostRecorded = 100;

/** What a record says, cleaned and on one line each; empty parts are null. */
export type Recorded = Pick<
  ListingRow,
  'title' | 'description' | 'endpoint' | 'repository' | 'repository_key' | 'website'
> & {
  readonly remotes: readonly ListingRemote[];
  readonly packages: readonly ListingPackage[];
  readonly keywords: readonly string[];
};

const line = (text: string | null | undefined) =>
  toLine(text ?? '')
    .slice(0, longestText)
    .toWellFormed();

/** Each once, as JSON compares them; records repeat remotes and packages. */
const once = <T extends object>(items: readonly T[]): T[] =>
  [...new Map(items.map((item) => [JSON.stringify(item), item])).values()].slice(0, mostRecorded);

/** An http or https address that can be called as it stands: no template, no user. */
function isAddress(url: string): boolean {
  const parsed = /[{}\s]/.test(url) || url.length > longestUrl ? null : URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === '';
}

const toRemotes = (record: ServerRecord): ListingRemote[] =>
  once(
    (record.remotes ?? [])
      .map((remote) => ({ type: line(remote.type), url: line(remote.url), ...remoteInputs(remote) }))
      .filter(({ url }) => url !== ''),
  );

const toPackages = (record: ServerRecord): ListingPackage[] =>
  once(
    (record.packages ?? [])
      .filter(({ identifier }) => identifier)
      .map((recorded) => ({
        registry_type: line(recorded.registryType) || 'unknown',
        identifier: line(recorded.identifier),
        ...(recorded.version && { version: line(recorded.version) }),
        ...(recorded.transport && { transport: line(recorded.transport.type) }),
        ...packageInputs(recorded),
      })),
  );

/** The recorded parts of a listing. `endpoint` is the first remote that can be called as it stands (no template). */
export function toRecorded(record: ServerRecord): Recorded {
  const remotes = toRemotes(record);
  const repository = line(record.repository?.url);
  const repository_key = toRepositoryKey(repository) ?? null;
  const website = line(record.websiteUrl);
  return {
    title: line(record.title) || null,
    description: line(record.description),
    endpoint: remotes.find(({ url }) => isAddress(url))?.url ?? null,
    repository: repository_key && repository,
    repository_key,
    website: isAddress(website) ? website : null,
    remotes,
    packages: toPackages(record),
    keywords: publisherKeywords(record),
  };
}

/** What is left of a listing whose publisher text must go. */
export const nothingRecorded: Recorded = {
  title: null,
  description: '',
  endpoint: null,
  repository: null,
  repository_key: null,
  website: null,
  remotes: [],
  packages: [],
  keywords: [],
};
