import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../config/timeouts.ts';
import { createFairPool, type FairPool } from '../core/fair-pool.ts';
import { isAddress, isLoopbackBase } from './addresses.ts';
import { createOutboundClient, type OutboundClient } from './client.ts';
import {
  createExchange,
  type ExchangeFailure,
  type GitExchange,
  type HeadRef,
  readCommitTime,
  readHead,
  toCommitQuery,
  toFileText,
  toHeadQuery,
} from './git.ts';
import { meaningOf } from './meaning.ts';
import { namesAt } from './names.ts';
import { type Bases, type RepositoryPlace, toPlace, toRawUrl, toUploadPackUrl } from './repository-place.ts';

export type { RepositoryPlace } from './repository-place.ts';

/** Values of `check.result` (docs/reference.md). */
type ReadFailure =
  | ExchangeFailure['result']
  | 'file_absent'
  | 'lfs_pointer'
  | 'not_text'
  | 'html_page'
  | 'repository_not_found'
  | 'repository_empty';

/** `pinned`: at the commit that HEAD pointed to. */
export type RepositoryCheck = Partial<HeadRef> & { readonly pinned: boolean } & (
    | { readonly result: 'file'; readonly text: string }
    | { readonly result: ReadFailure; readonly retry_after_s?: number }
  );

type RepositoryFailure = ExchangeFailure<ReadFailure>;

type FileRead =
  | { readonly result: 'file'; readonly text: string; readonly retry_after_s?: never }
  | RepositoryFailure;

const agent = 'dossier';

const askGit = (exchange: GitExchange, url: URL, body: Buffer) =>
  exchange({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
      'git-protocol': 'version=2',
    },
    body,
  });

async function readHeadRef(exchange: GitExchange, url: URL): Promise<HeadRef | RepositoryFailure> {
  const response = await askGit(exchange, url, toHeadQuery(agent));
  if (response.result === 'too_large') return { result: 'host_error' };
  if (response.result !== 'response') return response;
  // A page may come from a proxy in between.
  const meaning = meaningOf({ ...response, url: url.href, text: '' });
  // As forges do for a private or missing repository.
  if (meaning === 'absent' || meaning === 'credentials') return { result: 'repository_not_found' };
  const head = response.status === 200 ? readHead(response.body) : undefined;
  if (head === 'empty') return { result: 'repository_empty' };
  return head ?? { result: 'host_error' };
}

async function readCommit(
  exchange: GitExchange,
  url: URL,
  commit: string,
): Promise<{ readonly committed_at: string } | RepositoryFailure> {
  const response = await askGit(exchange, url, toCommitQuery(commit, agent));
  if (response.result !== 'response') return response;
  const committed_at = response.status === 200 ? readCommitTime(response.body, commit) : undefined;
  return committed_at === undefined ? { result: 'host_error' } : { committed_at };
}

async function readFile(exchange: GitExchange, url: URL): Promise<FileRead> {
  const response = await exchange({ url });
  if (response.result !== 'response') return response;
  if (response.status === 404 || response.status === 410) return { result: 'file_absent' };
  return response.status === 200 ? toFileText(response.body, response.contentType) : { result: 'host_error' };
}

/** Without a readable HEAD there is no commit, and only a result about the file counts. */
async function checkRepository(
  exchange: GitExchange,
  bases: Bases,
  { place, fileName }: { place: RepositoryPlace; fileName: string },
): Promise<RepositoryCheck> {
  const readAt = (ref: string) => readFile(exchange, toRawUrl(place, bases, { ref, fileName }));
  const head = await readHeadRef(exchange, toUploadPackUrl(place, bases));
  if ('commit' in head) return { ...(await readAt(head.commit)), ...head, pinned: true };
  if (head.result !== 'host_error') return { ...head, pinned: false };
  const unpinned = await readAt('HEAD');
  const saysNothingOfFile = /^(host_|repository_|redirect_)/.test(unpinned.result);
  return { ...(saysNothingOfFile ? head : unpinned), pinned: false };
}

/** Public hosts by https and name; `loopbackOrigins` on loopback only. */
export const createSafeClient = (
  loopbackOrigins: ReadonlySet<string>,
  dnsServers?: Config['dnsServers'],
): OutboundClient =>
  createOutboundClient({
    names: namesAt(dnsServers),
    userAgent: 'Dossier (reads recorded repositories)',
    bodyLimit_bytes: 65_536,
    // Claim checks use up to 16 (`createCheckTurns`), the observer four.
    connections: 20,
    reach(url) {
      if (loopbackOrigins.has(url.origin) && isLoopbackBase(url)) return { url, addresses: 'loopback' };
      return url.protocol === 'https:' && !isAddress(url.hostname) ? { url, addresses: 'public' } : undefined;
    },
  });

export type RepositoryReader = ReturnType<typeof createRepositoryReader>;

/** `timeout_ms` is for one call. Failures are results. */
export function createRepositoryReader(
  hosts: Config['repositoryHosts'],
  timeout_ms: number = defaultTimeouts.repositoryCheck_ms,
  dnsServers?: Config['dnsServers'],
) {
  const origins = Object.values(hosts).flatMap(({ git, raw }) => [new URL(git), new URL(raw)]);
  const onThisMachine = new Set(origins.filter(isLoopbackBase).map(({ origin }) => origin));
  const client = createSafeClient(onThisMachine, dnsServers);
  const read = async <T>(
    { host }: RepositoryPlace,
    ask: (exchange: GitExchange, bases: Bases) => Promise<T>,
  ): Promise<T | { readonly result: 'host_unreachable'; readonly retry_after_s?: never }> => {
    const bases = hosts[host];
    if (!bases) return { result: 'host_unreachable' };
    return ask(createExchange(client, AbortSignal.timeout(timeout_ms)), bases);
  };
  return {
    place: (recordedUrl: string) => toPlace(hosts, recordedUrl),
    /** Up to 16 KiB, at the root of the default branch. */
    async check(place: RepositoryPlace, fileName: string): Promise<RepositoryCheck> {
      const found = await read(place, (exchange, bases) =>
        checkRepository(exchange, bases, { place, fileName }),
      );
      return { pinned: false, ...found };
    },
    head: (place: RepositoryPlace): Promise<HeadRef | RepositoryFailure> =>
      read(place, (exchange, bases) => readHeadRef(exchange, toUploadPackUrl(place, bases))),
    /** As its committer stated it. */
    commit: (
      place: RepositoryPlace,
      commit: string,
    ): Promise<{ readonly committed_at: string } | RepositoryFailure> =>
      read(place, (exchange, bases) => readCommit(exchange, toUploadPackUrl(place, bases), commit)),
    /** `file_absent`: or no such commit or repository. */
    readAt: (
      place: RepositoryPlace,
      { commit, fileName }: { readonly commit: string; readonly fileName: string },
    ): Promise<FileRead> =>
      read(place, (exchange, bases) => readFile(exchange, toRawUrl(place, bases, { ref: commit, fileName }))),
  };
}

export const createCheckTurns = (): FairPool =>
  createFairPool({ places: 16, placesOfKey: 4, preferredPlaces: 4, waiting: 64, longestWait_ms: 5000 });
