import { decodeUtf8, readBounded } from '../../evidence/text/read-bounded.ts';
import { readRetryAfter_s } from '../../evidence/text/retry-after.ts';
import { RegistryError } from './source.ts';

const largestPage_bytes = 8 * 1024 * 1024;
const longestRetryAfter_s = 120;

/** A transient failure; `after_ms` is the pause that the registry requested. */
export class PassingFailure extends RegistryError {
  readonly after_ms: number | undefined;

  constructor(message: string, after_ms?: number) {
    super(message, true);
    this.after_ms = after_ms;
  }
}

async function refuse(response: Response): Promise<never> {
  const { status, headers } = response;
  await response.body?.cancel();
  const message = `the registry answered with status ${status}`;
  if (status !== 429 && status < 500) throw new RegistryError(message, false);
  const wait_s = readRetryAfter_s(headers.get('retry-after'), Date.now());
  throw new PassingFailure(
    message,
    wait_s === undefined ? undefined : Math.min(wait_s, longestRetryAfter_s) * 1000,
  );
}

/** The body, at most 8 MiB after decompression; reading stops there, so that a compression bomb is never unpacked. */
async function readBody(response: Response): Promise<string> {
  const isTooLarge = Number(response.headers.get('content-length')) > largestPage_bytes;
  const body = response.body ?? new Blob().stream();
  const bytes = isTooLarge ? undefined : await readBounded(body, largestPage_bytes);
  if (!bytes) throw new RegistryError('the page is larger than 8 MiB', false);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new RegistryError('the page is not UTF-8', false);
  return text;
}

async function readJson(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.-]+\+)?json\b/i.test(type)) {
    await response.body?.cancel();
    throw new RegistryError('the answer is not JSON (another kind of server, or a sign-in page)', false);
  }
  const text = await readBody(response);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RegistryError('the page is not well-formed JSON, or was cut off', true);
  }
}

function toFailure(error: unknown, timeout_ms: number): unknown {
  if (error instanceof RegistryError) return error;
  if ((error as Error).name === 'TimeoutError')
    return new PassingFailure(`the registry did not answer within ${timeout_ms / 1000} s`);
  return new PassingFailure('the registry cannot be reached, or the connection broke');
}

/** How to send one request. */
export interface FetchOptions {
  readonly userAgent: string;
  /** For the whole exchange. */
  readonly timeout_ms: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches JSON; redirects are not followed. Throws PassingFailure for what may work later, RegistryError for what will
 * not (status, content type, UTF-8, more than 8 MiB), and the signal's reason.
 */
export async function fetchJson(url: URL, { userAgent, timeout_ms, signal }: FetchOptions): Promise<unknown> {
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
