import { kinds } from '../kinds/index.ts';

const ofRecord: Readonly<Record<string, string>> = {
  transport: 'transport',
  remotes: 'endpoints',
  packages: 'packages',
  asks_for: 'asks for',
  namespace: 'namespace',
  namespace_matches_repository_owner: 'namespace names the owner of the repository',
  publisher_listings: 'listings of this publisher',
  website: 'website',
  version: 'version',
  updated: 'updated',
  first_published: 'first published',
  versions: 'versions',
  status: 'status in the registry',
  status_message: 'its message',
  unread_fields: 'fields of the record that Dossier does not read',
};

/** The names of all facts in plain words. */
export const factTitles: Readonly<Record<string, string>> = {
  ...ofRecord,
  ...Object.fromEntries(kinds.map(({ kind, title }) => [kind, title.toLowerCase()])),
};

/** The name of a fact in plain words. */
export const factTitle = (name: string): string => factTitles[name] ?? name.replaceAll(/[._]/g, ' ');

/** The unit of a fact; undefined for one without. */
export const factUnit = (name: string): string | undefined => kinds.find(({ kind }) => kind === name)?.unit;
