import { setTimeout as wait } from 'node:timers/promises';
import { readListPage } from '../entry/entry.ts';
import { fetchJson, PassingFailure } from './fetch-json.ts';
import { type Page, type PageRequest, RegistryError, type RegistrySource } from './source.ts';

const pageSize = 100;
/** A registry that ignores `limit` may send more entries than requested, up to this many. */
const mostEntries = 500;

/** How long and how often a page is tried. */
export interface Patience {
  /** For the whole exchange of one try. */
  readonly timeout_ms: number;
  readonly tries: number;
  /** Before the second try; doubled for each one after it. */
  readonly wait_ms: number;
}

const defaultPatience: Patience = { timeout_ms: 60_000, tries: 5, wait_ms: 1000 };

/** What a registry client needs. */
export interface RegistryClientOptions {
  /** Base of the registry; `/v0.1` is appended if it has no version. */
  readonly url: string;
  readonly userAgent: string;
  readonly origin: string;
  readonly patience?: Partial<Patience> | undefined;
}

const toApi = (url: string) => {
  const base = url.replace(/\/+$/, '').replace(/\/servers$/, '');
  return /\/v\d+(\.\d+)?$/.test(base) ? base : `${base}/v0.1`;
};

function toPageUrl(api: string, { cursor, updatedSince }: PageRequest): URL {
  const query = new URLSearchParams({ limit: String(pageSize), include_deleted: 'true' });
  if (updatedSince) query.set('updated_since', updatedSince);
  if (cursor) query.set('cursor', cursor);
  return new URL(`${api}/servers?${query}`);
}

function toPage(json: unknown): Page {
  const page = readListPage(json);
  if (!page) throw new RegistryError('the answer is not a page of a registry list', false);
  if (page.entries.length > mostEntries)
    throw new RegistryError(`the page has over ${mostEntries} entries`, false);
  return page;
}

const isPassing = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && error.isPassing;

/**
 * A registry that implements the generic registry API, read in pages of 100 with deleted entries. 429 (with its
 * Retry-After), 5xx, truncated responses and network failures are retried, each time after twice the pause. Throws
 * RegistryError, or the signal's reason.
 */
export function createRegistryClient(options: RegistryClientOptions): RegistrySource {
  const { userAgent, origin } = options;
  const api = toApi(options.url);
  const { timeout_ms, tries, wait_ms } = { ...defaultPatience, ...options.patience };
  return {
    name: api,
    api,
    origin,
    isIncremental: true,
    async page(request) {
      const { signal } = request;
      for (let tried = 1; ; tried++) {
        try {
          return toPage(await fetchJson(toPageUrl(api, request), { userAgent, timeout_ms, signal }));
        } catch (error) {
          if (!isPassing(error) || tried >= tries) throw error;
          const requested_ms = error instanceof PassingFailure ? error.after_ms : undefined;
          const pause_ms = requested_ms ?? wait_ms * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
          await wait(pause_ms, undefined, { signal });
        }
      }
    },
  };
}
