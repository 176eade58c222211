import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../config/timeouts.ts';
import { toFileText } from './file-text.ts';
import { createExchange, type Exchange } from './forge-exchange.ts';
import { type HeadRef, readHead, toHeadQuery } from './pkt-line.ts';
import { isLoopbackBase } from './public-address.ts';
import type { Outbound } from './safe-client.ts';

/** A recorded repository, taken apart: always https, an allowed host, an owner/name path. */
export interface RepositoryPlace {
  /** The host as recorded, lower-cased: a key of REPOSITORY_HOSTS. */
  readonly host: string;
  /** `owner/name` (GitLab: any depth of groups), capitals as recorded, without .git. */
  readonly path: string;
  /** Lower-cased `host/path`; equal for two spellings of one repository. */
  readonly key: string;
}

/** Why a repository's file could not be read, or that it is not there (trust.md section 1, check.result). */
export type RepositoryTrouble =
  | 'file_absent'
  | 'lfs_pointer'
  | 'not_text'
  | 'too_large'
  | 'repository_not_found'
  | 'repository_empty'
  | 'repository_moved'
  | 'redirect_refused'
  | 'host_unreachable'
  | 'host_timeout'
  | 'host_rate_limited'
  | 'host_error';

/** What a look at the repository gave. `pinned`: the file was read at the commit that HEAD named. */
export type RepositoryLook =
  | {
      readonly result: 'file';
      readonly text: string;
      readonly commit?: string;
      readonly branch?: string;
      readonly pinned: boolean;
    }
  | {
      readonly result: RepositoryTrouble;
      readonly commit?: string;
      readonly branch?: string;
      readonly pinned: boolean;
      readonly retry_after_s?: number;
    };

/** Reads one small text file at the root of the default branch of a recorded repository. */
export interface RepositoryReader {
  /** Takes a recorded URL apart; undefined where its form or host is not one we read. */
  place(recordedUrl: string): RepositoryPlace | undefined;
  /** Never throws: every trouble is a result. Nothing fetched is echoed but the file text itself. */
  look(place: RepositoryPlace, fileName: string): Promise<RepositoryLook>;
}

type Hosts = Config['repositoryHosts'];
type Bases = Hosts[string];
type Layout = NonNullable<Bases['layout']>;
type Trouble = { readonly result: RepositoryTrouble; readonly retry_after_s?: number };

const agent = 'dossier';
const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const recordedForm = /^https:\/\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._/-]{3,300})$/i;

/** Path of a raw file at a ref, in each forge's layout (trust.md section 1). */
const rawPaths: Record<Layout, (path: string, ref: string, fileName: string) => string> = {
  github: (path, ref, fileName) => `${path}/${ref}/${fileName}`,
  gitlab: (path, ref, fileName) => `${path}/-/raw/${ref}/${fileName}`,
  forgejo: (path, ref, fileName) => `${path}/raw/${ref === 'HEAD' ? 'branch' : 'commit'}/${ref}/${fileName}`,
  bitbucket: (path, ref, fileName) => `${path}/raw/${ref}/${fileName}`,
};

/** A host's layout: as configured, else that of gitlab.com for itself and GitHub's for all others. */
const layoutOf = (host: string, bases: Bases): Layout =>
  bases.layout ?? (host === 'gitlab.com' ? 'gitlab' : 'github');

function toPlace(hosts: Hosts, recordedUrl: string): RepositoryPlace | undefined {
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

async function lookAtHead(exchange: Exchange, base: string, path: string): Promise<HeadRef | Trouble> {
  const answer = await exchange({
    url: new URL(`${base}/${path}.git/git-upload-pack`),
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
      'git-protocol': 'version=2',
    },
    body: toHeadQuery(agent),
  });
  if (answer.result === 'too_large') return { result: 'host_error' };
  if (answer.result !== 'answer') return answer;
  if ([401, 403, 404, 410, 451].includes(answer.status)) return { result: 'repository_not_found' };
  const head = answer.status === 200 ? readHead(answer.body) : undefined;
  if (head === 'empty') return { result: 'repository_empty' };
  return head ?? { result: 'host_error' };
}

async function lookAtFile(
  exchange: Exchange,
  url: URL,
): Promise<{ readonly result: 'file'; readonly text: string } | Trouble> {
  const answer = await exchange({ url });
  if (answer.result !== 'answer') return answer;
  if (answer.status === 404 || answer.status === 410) return { result: 'file_absent' };
  return answer.status === 200 ? toFileText(answer.body, answer.contentType) : { result: 'host_error' };
}

/** A look without HEAD's id is worth something only where it says something about the file. */
const saysNothing = ({ result }: { readonly result: string }) =>
  /^(host_|repository_|redirect_)/.test(result);

async function look(exchange: Exchange, bases: Bases, request: { place: RepositoryPlace; fileName: string }) {
  const { place, fileName } = request;
  const toPath = rawPaths[layoutOf(place.host, bases)];
  const raw = (ref: string) =>
    lookAtFile(exchange, new URL(`${bases.raw}/${toPath(place.path, ref, fileName)}`));
  const head = await lookAtHead(exchange, bases.git, place.path);
  if ('commit' in head) return { ...(await raw(head.commit)), ...head, pinned: true };
  if (head.result !== 'host_error') return { ...head, pinned: false };
  const unpinned = await raw('HEAD');
  return { ...(saysNothing(unpinned) ? head : unpinned), pinned: false };
}

/**
 * Reads claim files from the configured hosts: HEAD's id by one `ls-refs` of git protocol v2, then the raw file at that
 * id (trust.md section 1). A look ends after `timeout_ms`.
 */
export function createRepositoryReader(
  hosts: Hosts,
  timeout_ms: number = defaultTimeouts.repositoryCheck_ms,
): RepositoryReader {
  const origins = Object.values(hosts).flatMap(({ git, raw }) => [new URL(git), new URL(raw)]);
  const loopbackOrigins = new Set(origins.filter(isLoopbackBase).map(({ origin }) => origin));
  let opened: Promise<Outbound> | undefined;
  // A node that looks at no repository does without the client.
  const open = () =>
    (opened ??= import('./safe-client.ts').then(({ createOutbound }) => createOutbound(loopbackOrigins)));
  return {
    place: (recordedUrl) => toPlace(hosts, recordedUrl),
    async look(place, fileName) {
      const bases = hosts[place.host];
      if (!bases) return { result: 'host_unreachable', pinned: false };
      const exchange = createExchange(await open(), AbortSignal.timeout(timeout_ms));
      return look(exchange, bases, { place, fileName });
    },
  };
}
