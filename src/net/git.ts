import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import type { Config } from '../config/config.ts';
import { defaultTimeouts } from '../config/timeouts.ts';
import { createFairPool, type FairPool } from '../core/fair-pool.ts';
import { attempt, decodeUtf8 } from '../core/json.ts';
import { isAddress, isLoopbackBase } from './addresses.ts';
import {
  createOutboundClient,
  type FailedRequest,
  type FetchFailure,
  type OutboundClient,
  type OutboundRequest,
  type OutboundResponse,
} from './client.ts';
import { namesAt } from './dns.ts';
import { meaningOf } from './meaning.ts';
import { type Bases, type RepositoryPlace, toPlace, toRawUrl, toUploadPackUrl } from './repository-place.ts';

const toPacketLine = (text: string): string => `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
/** Before arguments. */
const delimiter = '0001';
/** Ends a request or response. */
const flush = '0000';

/** Git protocol v2. */
const toCommand = (command: string, capabilities: readonly string[], args: readonly string[]) =>
  Buffer.from(
    [`command=${command}`, ...capabilities].map(toPacketLine).join('') +
      delimiter +
      args.map(toPacketLine).join('') +
      flush,
  );

const toHeadQuery = (agent: string): Buffer =>
  toCommand('ls-refs', [`agent=${agent}`], ['symrefs', 'ref-prefix HEAD']);

/** `branch` only if HEAD points to one with plain characters. */
export interface HeadRef {
  readonly commit: string;
  readonly branch?: string;
}

const length = /^[0-9a-f]{4}$/i;
const headLine = /^([0-9a-f]{40}|[0-9a-f]{64}) HEAD(?: |$)/;
const target = / symref-target:refs\/heads\/([\w./-]{1,255})(?: |$)/;

/** Undefined ends it: no size, or cut off. */
function* packetsOf(body: Buffer) {
  for (let at = 0; at + 4 <= body.length; ) {
    const digits = body.toString('latin1', at, at + 4);
    const size = length.test(digits) ? Number.parseInt(digits, 16) : Number.POSITIVE_INFINITY;
    if (size > 4 && at + size > body.length) {
      yield undefined;
      return;
    }
    const end = at + Math.max(size, 4);
    yield { size, content: body.subarray(at + 4, end) };
    at = end;
  }
}

/** Undefined if they do not end with a flush packet. */
function toLines(body: Buffer): string[] | undefined {
  const lines: string[] = [];
  for (const packet of packetsOf(body)) {
    if (packet?.size === 0) return lines;
    if (!packet || packet.size < 4) return undefined;
    lines.push(packet.content.toString('utf8').replace(/\n$/, ''));
  }
  return undefined;
}

/** 'empty' without a commit, undefined if malformed. */
function readHead(body: Buffer): HeadRef | 'empty' | undefined {
  const lines = toLines(body);
  if (!lines) return undefined;
  if (lines.length === 0) return 'empty';
  const line = lines.find((text) => headLine.test(text)) ?? '';
  const commit = headLine.exec(line)?.[1];
  const branch = target.exec(line)?.[1];
  return commit ? { commit, ...(branch && { branch }) } : undefined;
}

/** Without parents, trees and files. */
const toCommitQuery = (commit: string, agent: string): Buffer =>
  toCommand(
    'fetch',
    [`agent=${agent}`, ...(commit.length === 64 ? ['object-format=sha256'] : [])],
    ['no-progress', 'deepen 1', 'filter tree:0', `want ${commit}`, 'done'],
  );

const longestCommit_bytes = 64 * 1024;
const packData = 1;

/** Sideband 1 after the line `packfile`. */
function toPack(body: Buffer): Buffer | undefined {
  const data: Buffer[] = [];
  let isPack = false;
  for (const packet of packetsOf(body)) {
    if (!packet) return undefined;
    const { content } = packet;
    if (isPack && content[0] === packData) data.push(content.subarray(1));
    if (content.toString('latin1') === 'packfile\n') isPack = true;
  }
  return isPack ? Buffer.concat(data) : undefined;
}

/** Up to 64 KiB (gitformat-pack(5)). */
function firstCommit(pack: Buffer): Buffer | undefined {
  if (pack.toString('latin1', 0, 4) !== 'PACK') return undefined;
  let at = 12;
  const first = pack[at] ?? 0;
  const commitType = 1;
  if (((first >> 4) & 7) !== commitType) return undefined;
  while (((pack[at] ?? 0) & 0x80) !== 0) at += 1;
  return attempt(() => inflateSync(pack.subarray(at + 1), { maxOutputLength: longestCommit_bytes }));
}

const committerLine = /^committer .*> (\d{1,12}) [+-]\d{4}$/m;

/** RFC 3339, if the content's digest is this id. */
function readCommitTime(body: Buffer, commit: string): string | undefined {
  const pack = toPack(body);
  const content = pack && firstCommit(pack);
  if (!content) return undefined;
  const id = createHash(commit.length === 64 ? 'sha256' : 'sha1')
    .update(`commit ${content.length}\0`)
    .update(content)
    .digest('hex');
  if (id !== commit.toLowerCase()) return undefined;
  const [headers = ''] = content.toString('utf8').split('\n\n', 1);
  const seconds = Number(committerLine.exec(headers)?.[1] ?? Number.NaN);
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const fileLimit_bytes = 16_384;
const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\//;
const htmlPage = /^\s*<(!doctype html|html[\s>])/i;

/** `not_text`: not UTF-8, or binary. */
export function toFileText(
  body: Buffer,
  contentType: string,
):
  | { readonly result: 'file'; readonly text: string }
  | { readonly result: 'too_large' | 'not_text' | 'html_page' | 'lfs_pointer' } {
  if (body.length > fileLimit_bytes) return { result: 'too_large' };
  const text = body.includes(0) ? undefined : decodeUtf8(body);
  if (/^text\/html\b/i.test(contentType) || (text !== undefined && htmlPage.test(text)))
    return { result: 'html_page' };
  if (text === undefined) return { result: 'not_text' };
  return lfsPointer.test(text) ? { result: 'lfs_pointer' } : { result: 'file', text };
}

interface ExchangeFailure<Result = FetchFailure> {
  readonly result: Result | 'repository_moved' | 'redirect_refused' | 'host_rate_limited' | 'host_error';
  readonly retry_after_s?: number;
  readonly unsent?: FailedRequest['unsent'];
  /** Without .git. */
  readonly moved_to?: string;
}

type GitExchange = ReturnType<typeof createExchange>;

const movedPath = /^\/([\w.-]{1,100}(?:\/[\w.-]{1,100}){1,8})\/git-upload-pack$/;

const loosePath = (url: URL) => url.pathname.toLowerCase().replace(/\.git(?=\/|$)/, '');

/** Some hosts have their own spelling of a path. */
const isSameSpelling = (from: URL, to: URL) =>
  to.origin === from.origin &&
  !to.username &&
  !to.password &&
  to.search === '' &&
  loosePath(to) === loosePath(from);

function toFailure(
  from: URL,
  { status, location, retry_after_s }: OutboundResponse,
): ExchangeFailure | undefined {
  const wait = retry_after_s === undefined ? {} : { retry_after_s };
  if (status === 429 || (status === 403 && retry_after_s !== undefined))
    return { result: 'host_rate_limited', ...wait };
  if (status >= 500) return { result: 'host_error', ...wait };
  if (status < 300 || status >= 400) return undefined;
  const to = location && URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (to?.origin !== from.origin) return { result: 'redirect_refused' };
  const moved_to = movedPath.exec(to.pathname)?.[1]?.replace(/\.git$/, '');
  return { result: 'repository_moved', ...(moved_to && { moved_to }) };
}

/** Follows at most one redirect, to another spelling of the same path. */
const createExchange =
  (client: OutboundClient, deadline: AbortSignal) =>
  async (request: Omit<OutboundRequest, 'deadline'>): Promise<OutboundResponse | ExchangeFailure> => {
    const response = await client.fetch({ ...request, deadline });
    if (response.result !== 'response') return response;
    const { location } = response;
    const to = location && URL.canParse(location, request.url) ? new URL(location, request.url) : undefined;
    if (!to || !isSameSpelling(request.url, to)) return toFailure(request.url, response) ?? response;
    const second = await client.fetch({ ...request, url: to, deadline });
    return second.result === 'response' ? (toFailure(to, second) ?? second) : second;
  };

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
export const createSafeClient = (loopbackOrigins: ReadonlySet<string>, dnsServers?: Config['dnsServers']) =>
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
