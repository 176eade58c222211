import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { attempt, decodeUtf8 } from '../core/json.ts';
import type {
  FailedRequest,
  FetchFailure,
  OutboundClient,
  OutboundRequest,
  OutboundResponse,
} from './client.ts';

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

export const toHeadQuery = (agent: string): Buffer =>
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
function* packetsOf(
  body: Buffer,
): Generator<{ readonly size: number; readonly content: Buffer } | undefined> {
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
export function readHead(body: Buffer): HeadRef | 'empty' | undefined {
  const lines = toLines(body);
  if (!lines) return undefined;
  if (lines.length === 0) return 'empty';
  const line = lines.find((text) => headLine.test(text)) ?? '';
  const commit = headLine.exec(line)?.[1];
  const branch = target.exec(line)?.[1];
  return commit ? { commit, ...(branch && { branch }) } : undefined;
}

/** Without parents, trees and files. */
export const toCommitQuery = (commit: string, agent: string): Buffer =>
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
export function readCommitTime(body: Buffer, commit: string): string | undefined {
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

export interface ExchangeFailure<Result = FetchFailure> {
  readonly result: Result | 'repository_moved' | 'redirect_refused' | 'host_rate_limited' | 'host_error';
  readonly retry_after_s?: number;
  readonly unsent?: FailedRequest['unsent'];
  /** Without .git. */
  readonly moved_to?: string;
}

export type GitExchange = ReturnType<typeof createExchange>;

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
export const createExchange =
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
