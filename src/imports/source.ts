import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Config, copySuffix } from '../config/config.ts';
import { cachedOnce } from '../core/cached-once.ts';
import { isHandle } from '../core/handle.ts';
import { attempt, decodeUtf8 } from '../core/json.ts';
import { isWebAddress } from '../core/text.ts';
import { sampleOrigin, sampleSource } from '../listings/listing.ts';
import { createOutboundClient, type OutboundClient } from '../net/client.ts';
import { readListPage } from './entry.ts';
import { RegistryError } from './import-run.ts';

export interface SourcePage {
  readonly entries: readonly unknown[];
  /** Undefined at the end. */
  readonly nextCursor: string | undefined;
  /** Of the whole list. */
  readonly total?: number;
}

interface PageRequest {
  readonly cursor?: string | undefined;
  /** RFC 3339, for an incremental source. */
  readonly updatedSince?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Or a saved copy. */
export interface RegistrySource {
  /**
   * Of stored runs, which can be continued under it. The base URL of a registry's API; no path of this
   * machine.
   */
  readonly name: string;
  /** Lists changes since a time. */
  readonly isIncremental: boolean;
  readonly origin: string;
  /** Throws RegistryError, or the signal's reason. */
  page(request: PageRequest): Promise<SourcePage>;
}

class PageTooLarge extends RegistryError {}

/** Throws RegistryError unless it is JSON of up to 8 MiB with status 200. */
function readJson(answer: Awaited<ReturnType<OutboundClient['fetch']>>, timeout_ms: number): unknown {
  if (answer.result === 'too_large') throw new PageTooLarge('the page is larger than 8 MiB');
  if (answer.result === 'host_timeout')
    throw new RegistryError(`the registry did not answer within ${timeout_ms / 1000} s`, true);
  if (answer.result !== 'response')
    throw new RegistryError('the registry cannot be reached, or the connection broke', true);
  const { status, contentType, retry_after_s, body } = answer;
  const after_ms = retry_after_s && Math.min(retry_after_s, 120) * 1000;
  if (status !== 200)
    throw new RegistryError(
      `the registry answered with status ${status}`,
      status === 429 || status >= 500,
      after_ms,
    );
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(contentType))
    throw new RegistryError('the answer is not JSON (another kind of server, or a sign-in page)');
  const text = decodeUtf8(body);
  if (text === undefined) throw new RegistryError('the page is not UTF-8');
  const json = attempt(() => JSON.parse(text) as unknown);
  if (json === undefined) throw new RegistryError('the page is not well-formed JSON, or was cut off', true);
  return json;
}

/** `timeout_ms` is of the whole exchange. */
async function fetchJson(
  client: OutboundClient,
  url: URL,
  { timeout_ms, signal }: { readonly timeout_ms: number } & Pick<PageRequest, 'signal'>,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeout_ms);
  const deadline = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip, br' };
  const answer = await client.fetch({ url, headers, deadline });
  signal?.throwIfAborted();
  return readJson(answer, timeout_ms);
}

const pageSize = 100;
/** Some registries ignore `limit`. */
const mostEntries = 500;

export interface Patience {
  readonly timeout_ms: number;
  readonly tries: number;
  /** Before the second try, give or take a quarter; doubled for each later one. */
  readonly wait_ms: number;
}

const defaultPatience: Patience = { timeout_ms: 60_000, tries: 5, wait_ms: 1000 };

/** `/v0.1` if there is no version. */
const toApi = (url: string) => {
  const base = url.replace(/\/+$/, '').replace(/\/servers$/, '');
  return /\/v\d+(\.\d+)?$/.test(base) ? base : `${base}/v0.1`;
};

function toPageUrl(api: string, limit: number, { cursor, updatedSince }: PageRequest): URL {
  const query = new URLSearchParams({ limit: String(limit), include_deleted: 'true' });
  if (updatedSince) query.set('updated_since', updatedSince);
  if (cursor) query.set('cursor', cursor);
  return new URL(`${api}/servers?${query}`);
}

function toPage(json: unknown): SourcePage {
  const page = readListPage(json);
  if (!page) throw new RegistryError('the answer is not a page of a registry list');
  if (page.entries.length > mostEntries) throw new RegistryError(`the page has over ${mostEntries} entries`);
  return page;
}

/**
 * Tries again after 429, 5xx, a truncated answer or a network failure; for too large a page with half the
 * entries. Retry-After counts up to 120 s.
 */
function createRegistryClient(
  url: string,
  { userAgent, origin }: { readonly userAgent: string; readonly origin: string },
  patience: Partial<Patience> | undefined,
): RegistrySource {
  const api = toApi(url);
  const { timeout_ms, tries, wait_ms } = { ...defaultPatience, ...patience };
  const client = createOutboundClient({
    userAgent,
    bodyLimit_bytes: 8 * 1024 * 1024,
    reach: (page) => ({ url: page, addresses: 'any' }),
  });
  let limit = pageSize;
  return {
    name: api,
    origin,
    isIncremental: true,
    async page(request) {
      const { signal } = request;
      for (let tried = 1; ; tried++) {
        try {
          const asked = toPageUrl(api, limit, request);
          const page = toPage(await fetchJson(client, asked, { timeout_ms, signal }));
          limit = Math.min(pageSize, limit * 2);
          return page;
        } catch (error) {
          if (error instanceof PageTooLarge && limit > 1) {
            limit = Math.floor(limit / 2);
            tried -= 1;
            continue;
          }
          if (!(error instanceof RegistryError && error.isPassing) || tried >= tries) throw error;
          const pause_ms = error.after_ms ?? wait_ms * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
          await wait(pause_ms, undefined, { signal });
        }
      }
    },
  };
}

const unzip = promisify(gunzip);

function toEntries(json: string): readonly unknown[] {
  const value = JSON.parse(json) as unknown;
  const entries = Array.isArray(value) ? value : (value as { servers?: unknown } | null)?.servers;
  if (!Array.isArray(entries)) throw new TypeError('no list');
  return entries as unknown[];
}

async function readCopy(path: string): Promise<{ entries: readonly unknown[]; digest: string }> {
  const bytes = await readFile(path).catch(() => {
    throw new RegistryError(`the saved copy ${basename(path)} cannot be read`);
  });
  try {
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const json = (isGzip ? await unzip(bytes) : bytes).toString('utf8');
    return { entries: toEntries(json), digest: hash('sha256', bytes) };
  } catch {
    throw new RegistryError(`the saved copy ${basename(path)} is not a JSON list of entries`);
  }
}

/**
 * JSON, perhaps gzipped: an array of entries or `{"servers": [...]}`. A cursor is a position in the same
 * bytes. Throws RegistryError.
 */
async function openSavedCopy(path: string, origin: string, name?: string): Promise<RegistrySource> {
  const { entries, digest } = await readCopy(path);
  return {
    name: name ?? `file:${basename(path)}#${digest.slice(0, 12)}`,
    origin,
    isIncremental: false,
    page: async ({ cursor = '0' }) => {
      const from = Number(cursor);
      const to = from + pageSize;
      const nextCursor = to < entries.length ? String(to) : undefined;
      return { entries: entries.slice(from, to), nextCursor, total: entries.length };
    },
  };
}

const samplePath = fileURLToPath(new URL('../../data/sample.json', import.meta.url));
const official = 'registry.modelcontextprotocol.io';
/** A service starts with the sample only if its origin begins so. */
export const officialOrigin = `${official} (MCP)`;

/** Another copy's is REGISTRY_NAME, the official registry if configured, or the file's name. */
function originOf(
  source: string,
  { registryUrl, registryName, origin }: Pick<Config, 'registryUrl' | 'registryName' | 'origin'>,
): string {
  if (source.replace(/\/+$/, '') === registryUrl) return origin;
  if (isWebAddress(source)) return `${new URL(source).host} (MCP)`;
  const configured = URL.parse(registryUrl)?.host === official ? official : basename(source);
  return `${registryName || configured} (MCP)${copySuffix}`;
}

const openSample = () => openSavedCopy(samplePath, sampleOrigin, sampleSource);

/** It is one page. */
export const readSampleHandles = cachedOnce<readonly string[]>(async () => {
  const { entries } = await (await openSample()).page({});
  const names = entries.map((entry) => (entry as { server: { name: string } }).server.name);
  return [...new Set(names.filter(isHandle))];
});

/** An http(s) address, `sample`, or a saved copy as `file:path` or path. Throws RegistryError. */
export async function openSource(
  source: string,
  settings: Pick<Config, 'serviceName' | 'version' | 'publicUrl'> & Parameters<typeof originOf>[1],
  patience?: Partial<Patience>,
): Promise<RegistrySource> {
  const { serviceName, version, publicUrl } = settings;
  if (source === 'off') throw new RegistryError('no registry is configured (REGISTRY_URL is off)');
  const url = isWebAddress(source) ? URL.parse(source) : undefined;
  if (url === null) throw new RegistryError('the address of the registry is invalid');
  if (url && url.username + url.password !== '')
    throw new RegistryError('the address must not contain a user name or a password');
  const origin = originOf(source, settings);
  if (source === sampleSource) return openSample();
  const path = source.replace(/^file:(\/\/(?=\/))?/, '');
  if (!url) return resolve(path) === samplePath ? openSample() : openSavedCopy(path, origin);
  const userAgent = `${serviceName.replaceAll(' ', '-')}/${version} (+${publicUrl})`;
  return createRegistryClient(source, { userAgent, origin }, patience);
}

const mostPages = 100_000;

const cursorDigest = (cursor: string | undefined) => hash('sha256', cursor ?? '', 'base64');

/** One page ahead. Throws RegistryError for a repeated cursor and an endless list. */
export async function* readPages(
  source: RegistrySource,
  range: PageRequest,
): AsyncGenerator<SourcePage, void, undefined> {
  const { signal, updatedSince } = range;
  const fetchPage = (cursor: string | undefined) => {
    const page = source.page({ cursor, updatedSince, signal });
    // Reported when awaited, but after another failure nobody awaits it.
    page.catch(() => undefined);
    return page;
  };
  // Cursors may have 4 KiB, without end.
  const seen = new Set([cursorDigest(range.cursor)]);
  let next = fetchPage(range.cursor);
  for (;;) {
    const page = await next;
    signal?.throwIfAborted();
    const { nextCursor } = page;
    if (nextCursor === undefined) return yield page;
    if (seen.has(cursorDigest(nextCursor)))
      throw new RegistryError('the registry gave a cursor that it had given before');
    if (seen.size >= mostPages) throw new RegistryError(`the list does not end within ${mostPages} pages`);
    seen.add(cursorDigest(nextCursor));
    next = fetchPage(nextCursor);
    yield page;
  }
}

/** A batch waits so long for the next page. */
const quick_ms = 100;
/** Pages have at most 8 MiB. */
const mostJoined = 10;
/** So that progress shows early. */
const firstBatch = 100;
const largestBatch = 1000;

function settlesSoon(next: Promise<unknown>): Promise<boolean> {
  const settled = new AbortController();
  const soon = Promise.allSettled([next]).then(() => true);
  const later = wait(quick_ms, false, { signal: settled.signal }).catch(() => true);
  return Promise.race([soon, later]).finally(() => settled.abort());
}

/**
 * Joins pages that arrive quickly, up to about 1,000 entries. Those before a failure come before it is
 * thrown.
 */
export async function* batchPages(
  pages: AsyncGenerator<SourcePage, void, undefined>,
): AsyncGenerator<SourcePage, void, undefined> {
  let batch: SourcePage | undefined;
  let joined = 0;
  let size = firstBatch;
  for (;;) {
    const next = pages.next();
    if (batch && !(await settlesSoon(next))) {
      yield batch;
      batch = undefined;
    }
    const [ended] = await Promise.allSettled([next]);
    const value = ended.status === 'fulfilled' ? ended.value.value : undefined;
    joined = batch ? joined + 1 : 1;
    if (value) batch = { ...value, entries: [...(batch?.entries ?? []), ...value.entries] };
    if (batch && (!value || batch.entries.length >= size || joined >= mostJoined)) {
      yield batch;
      batch = undefined;
      size = Math.min(size * 2, largestBatch);
    }
    if (ended.status === 'rejected') throw ended.reason;
    if (!value) return;
  }
}
