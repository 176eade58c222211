import type { Config } from '../config/config.ts';

export interface RepositoryPlace {
  /** A key of REPOSITORY_HOSTS. */
  readonly host: string;
  /** `owner/name` (on GitLab with any groups) without .git. */
  readonly path: string;
  /** `host/path` in lower case. */
  readonly key: string;
}

export type Bases = Config['repositoryHosts'][string];

const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const recordedForm = /^https:\/\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._/-]{3,300})$/i;

const rawPaths: Record<
  NonNullable<Bases['layout']>,
  (path: string, ref: string, fileName: string) => string
> = {
  github: (path, ref, fileName) => `${path}/${ref}/${fileName}`,
  gitlab: (path, ref, fileName) => `${path}/-/raw/${ref}/${fileName}`,
  forgejo: (path, ref, fileName) => `${path}/raw/${ref === 'HEAD' ? 'branch' : 'commit'}/${ref}/${fileName}`,
  bitbucket: (path, ref, fileName) => `${path}/raw/${ref}/${fileName}`,
};

const layoutOf = (host: string, bases: Bases) =>
  bases.layout ?? (host === 'gitlab.com' ? 'gitlab' : 'github');

function parsePlace(hosts: Config['repositoryHosts'], recordedUrl: string): RepositoryPlace | undefined {
  const [, recordedHost = '', recordedPath = ''] = recordedForm.exec(recordedUrl) ?? [];
  const host = recordedHost.toLowerCase();
  if (!Object.hasOwn(hosts, host)) return undefined;
  const path = recordedPath.replace(/\/$/, '').replace(/\.git$/i, '');
  const segments = path.split('/');
  if (segments.length < 2 || !segments.every((part) => segment.test(part) && part !== '-')) return undefined;
  const bases = hosts[host];
  if (!bases || (layoutOf(host, bases) !== 'gitlab' && segments.length !== 2)) return undefined;
  return { host, path, key: `${host}/${path}`.toLowerCase() };
}

export const toUploadPackUrl = ({ path }: RepositoryPlace, bases: Bases): URL =>
  new URL(`${bases.git}/${path}.git/git-upload-pack`);

export const toRawUrl = (
  { host, path }: RepositoryPlace,
  bases: Bases,
  { ref, fileName }: { readonly ref: string; readonly fileName: string },
): URL => new URL(`${bases.raw}/${rawPaths[layoutOf(host, bases)](path, ref, fileName)}`);

const longest = 2000;
/** Always `owner/name`, and then a path inside the repository. */
const ownerAndName = new Set(['github.com', 'codeberg.org', 'bitbucket.org']);

/** `git@host:owner/name` and `ssh://git@host:22/owner/name`. */
const toUrlText = (recorded: string) =>
  recorded
    .replace(/^git\+/i, '')
    .replace(/^ssh:\/\/(?:[\w-]+@)?([\w.-]+):\d{1,5}\/(?=[^/]+\/[^/])/i, 'https://$1/')
    .replace(/^(?:ssh:\/\/)?[\w-]+@([\w.-]+)[:/](?=[^/])/, 'https://$1/');

/**
 * `host/path` in lower case, the same for usual spellings. A link into a GitHub, Codeberg or Bitbucket
 * repository, or below `/-/` as on GitLab, is the repository.
 */
export function toRepositoryKey(recorded: string): string | undefined {
  if (recorded.length > longest) return undefined;
  const url = URL.parse(toUrlText(recorded).replace(/^(?:git|ssh|http):\/\//i, 'https://'));
  const host = url?.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') ?? '';
  if (url?.protocol !== 'https:' || !host.includes('.') || url.pathname.includes('%')) return undefined;
  const segments = url.pathname.split('/').filter(Boolean);
  const folder = segments.indexOf('-');
  const end = ownerAndName.has(host) ? 2 : folder === -1 ? segments.length : folder;
  const repository = segments.slice(0, end);
  if (repository.length < 2) return undefined;
  return `${host}/${repository.join('/')}`.replace(/\.git$/i, '').toLowerCase();
}

/** Some write it as `./servers/mail/`. */
export const toRecordedFolder = (recorded: string): string | undefined =>
  recorded.replace(/^(?:\.?\/)+/, '').replace(/^\.$|\/+$/, '') || undefined;

const mostFolders = 6;
const intoFolder =
  /^(?:\.git)?\/(?:-\/)?(?:tree|blob|raw|src)\/(?:(?:branch|commit|tag)\/)?[^/?#]+\/([^?#]+)/i;

/** What a link into the repository of this key names, and the folders around it, the inmost first. */
export function foldersInLink(address: string, key: string): string[] {
  const behind = address.slice(address.toLowerCase().indexOf(key) + key.length);
  const parts = intoFolder.exec(behind)?.[1]?.split('/').filter(Boolean).slice(0, mostFolders) ?? [];
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/'));
}

export function toPlace(hosts: Config['repositoryHosts'], recorded: string): RepositoryPlace | undefined {
  const plain = parsePlace(hosts, recorded);
  if (plain) return plain;
  const key = toRepositoryKey(recorded);
  return key === undefined ? undefined : parsePlace(hosts, `https://${key}`);
}
