import { setTimeout as wait } from 'node:timers/promises';
import { readJson } from './body.ts';
import { readListPage } from './record.ts';
import { type Page, type PageRequest, RegistryError, type RegistrySource } from './source.ts';

const pageSize = 100;
/** A registry that ignores the limit may send more, but not without end. */
const mostEntries = 500;
const longestWait_ms = 120_000;

/** How long and how often a page is tried. */
export interface Patience {
  /** For the whole exchange of one try. */
  readonly timeout_ms: number;
  readonly tries: number;
  /** Before the second try; doubled for each that follows. */
  readonly wait_ms: number;
}

const patient: Patience = { timeout_ms: 60_000, tries: 5, wait_ms: 1000 };

/** What a registry client needs to be told. */
export interface RegistryClientOptions {
  /** Base of the registry; `/v0.1` is appended where no version stands in it. */
  readonly url: string;
  readonly userAgent: string;
  readonly origin: string;
  readonly patience?: Partial<Patience> | undefined;
}

/** A try that may be repeated, and when. */
class PassingFailure extends RegistryError {
  readonly after_ms: number | undefined;

  constructor(message: string, after_ms?: number) {
    super(message, true);
    this.after_ms = after_ms;
  }
}

const toApi = (url: string) => {
  const base = url.replace(/\/+$/, '').replace(/\/servers$/, '');
  return /\/v\d+(\.\d+)?$/.test(base) ? base : `${base}/v0.1`;
};

/** Retry-After as seconds or as a date. */
function retryAfter_ms(header: string | null): number | undefined {
  if (header === null) return undefined;
  const after_ms = /^\d{1,6}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(after_ms) ? Math.min(Math.max(after_ms, 0), longestWait_ms) : undefined;
}

async function refuse(response: Response): Promise<never> {
  const { status, headers } = response;
  await response.body?.cancel();
  const message = `the registry answered with status ${status}`;
  if (status === 429 || status >= 500)
    throw new PassingFailure(message, retryAfter_ms(headers.get('retry-after')));
  throw new RegistryError(message, false);
}

function toFailure(error: unknown, timeout_ms: number): unknown {
  if (error instanceof RegistryError) return error;
  if ((error as Error).name === 'TimeoutError')
    return new PassingFailure(`the registry did not answer within ${timeout_ms / 1000} s`);
  return new PassingFailure('the registry cannot be reached, or the connection broke');
}

async function tryPage(
  url: URL,
  userAgent: string,
  limits: { timeout_ms: number; signal?: AbortSignal | undefined },
) {
  const { timeout_ms, signal } = limits;
  const timeout = AbortSignal.timeout(timeout_ms);
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'user-agent': userAgent },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return response.status === 200 ? await readJson(response) : await refuse(response);
  } catch (error) {
    signal?.throwIfAborted();
    throw toFailure(error, timeout_ms);
  }
}

function toPage(answer: unknown): Page {
  try {
    const page = readListPage(answer);
    if (page.entries.length > mostEntries)
      throw new RegistryError(`the page has over ${mostEntries} entries`, false);
    return page;
  } catch (error) {
    if (error instanceof RegistryError) throw error;
    throw new RegistryError('the answer is not a page of a registry list', false);
  }
}

const isPassing = (error: unknown): error is RegistryError =>
  error instanceof RegistryError && error.isPassing;

/**
 * A registry that speaks the generic API: pages of 100, deleted entries included, one identified caller. 429 (obeying
 * Retry-After), 5xx, cut-off answers and network failures are tried again, each wait twice as long; redirects are not
 * followed. Throws RegistryError, or the signal's reason.
 */
export function createRegistryClient({
  url,
  userAgent,
  origin,
  patience,
}: RegistryClientOptions): RegistrySource {
  const api = toApi(url);
  const { timeout_ms, tries, wait_ms } = { ...patient, ...patience };
  const toUrl = ({ cursor, updatedSince }: PageRequest) => {
    const query = new URLSearchParams({ limit: String(pageSize), include_deleted: 'true' });
    if (updatedSince) query.set('updated_since', updatedSince);
    if (cursor) query.set('cursor', cursor);
    return new URL(`${api}/servers?${query}`);
  };
  return {
    name: api,
    api,
    origin,
    isIncremental: true,
    async page(request) {
      for (let tried = 1; ; tried++) {
        try {
          return toPage(await tryPage(toUrl(request), userAgent, { timeout_ms, signal: request.signal }));
        } catch (error) {
          if (!isPassing(error) || tried >= tries) throw error;
          const asked_ms = error instanceof PassingFailure ? error.after_ms : undefined;
          const pause_ms = asked_ms ?? wait_ms * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
          await wait(pause_ms, undefined, { signal: request.signal });
        }
      }
    },
  };
}
