import { setTimeout as wait } from 'node:timers/promises';
import { readBounded } from '../core/json.ts';
import { readRetryAfter_s } from '../net/retry-after.ts';

/** The service gives no answer, or none that an audit can use. */
export class ServiceUnreadable extends Error {}

const timeout_ms = 30_000;
const tries = 8;
const longestPause_s = 60;
const largestAnswer_bytes = 8 * 1024 * 1024;

/** Another of its own paths, for example for other capitals of a handle; never another origin. */
function toMoved(url: string, { status, headers }: Response): string | undefined {
  const to = status === 301 || status === 308 ? URL.parse(headers.get('location') ?? '', url) : null;
  return to?.origin === new URL(url).origin ? to.href : undefined;
}

/** A request with a JSON body is a POST. Throws ServiceUnreadable. */
export type AskService = (
  path: string,
  body?: object,
  limit_bytes?: number,
) => Promise<{ readonly status: number; readonly body: Buffer }>;

const toRequest = (body: object | undefined): RequestInit =>
  body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {};

/** Asks an app in this process, and rests before each request. */
export const askApp =
  (
    app: { request(path: string, init: RequestInit): Response | Promise<Response> },
    rest?: () => Promise<void>,
  ): AskService =>
  async (path, body) => {
    await rest?.();
    const answer = await app.request(path, toRequest(body));
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) };
  };

async function askService(url: string, body: object | undefined, limit_bytes: number, redirects = 1) {
  try {
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout_ms),
      ...toRequest(body),
    });
    const moved = redirects > 0 && !body ? toMoved(url, response) : undefined;
    if (moved) {
      await response.body?.cancel();
      return await askService(moved, body, limit_bytes, redirects - 1);
    }
    const bytes = await readBounded(response.body ?? new Blob().stream(), limit_bytes);
    if (!bytes) throw new ServiceUnreadable(`${url}: the answer is larger than ${limit_bytes} bytes`);
    const wait_s = readRetryAfter_s(response.headers.get('retry-after'), Date.now()) ?? 1;
    return { status: response.status, body: bytes, wait_s };
  } catch (error) {
    if (error instanceof ServiceUnreadable) throw error;
    throw new ServiceUnreadable(`${url}: no answer; is this the address of a running service?`);
  }
}

/**
 * After 429 or 503, waits as long as the answer asks, at most a minute, and retries at most eight times. An
 * answer of more than `limit_bytes` is unreadable too.
 */
export function createServiceClient(base: string): AskService {
  const root = base.replace(/\/+$/, '');
  return async (path: string, body?: object, limit_bytes = largestAnswer_bytes) => {
    for (let tried = 1; ; tried++) {
      const { wait_s, ...answer } = await askService(`${root}${path}`, body, limit_bytes);
      const isPassing = answer.status === 429 || answer.status === 503;
      if (!isPassing) return answer;
      if (tried === tries)
        throw new ServiceUnreadable(
          `${root}${path}: still refused with status ${answer.status} after ${tries} tries`,
        );
      await wait(Math.min(wait_s, longestPause_s) * 1000);
    }
  };
}
