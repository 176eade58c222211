import { hash } from 'node:crypto';
import type { Request } from '../environment.ts';
import type { CachePolicy, Encoding, Finished } from '../finished.ts';
import { encode } from './encodings.ts';

/** A text to send, with its media type. */
export interface Answer {
  readonly type: string;
  readonly body: string;
  readonly cacheControl?: string;
  /** Left out if the text depends on the caller or must be current: then it is made for each request. */
  readonly cachePolicy?: CachePolicy | undefined;
}

const namesTag = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** Whether an If-None-Match header contains this ETag, so that the caller's copy is current. */
export const isCurrent = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch ? ifNoneMatch === etag || namesTag(ifNoneMatch, etag) : false;

/** A short hash of a text. */
export const toTag = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const suffixes: Readonly<Record<Encoding, string>> = { br: '-br', gzip: '-gzip', identity: '' };

async function finish({ type, body: text, cachePolicy }: Answer, wanted: Encoding): Promise<Finished> {
  const { body, encoding } = await encode(text, wanted);
  return {
    // Strong, so each coding has its own (RFC 9110, section 8.8.3.3).
    etag: `"${toTag(text)}${suffixes[encoding]}"`,
    body,
    headers: {
      'Content-Type': type,
      'Content-Length': String(body.byteLength),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    },
    cachePolicy,
  };
}

/**
 * Sends a text in the requested coding with a strong ETag, or 304 if the caller's copy is current. Browsers revalidate
 * each time, unless `cacheControl` says otherwise.
 */
export async function answerWithETag(c: Request, answer: Answer): Promise<Response> {
  const finished = await finish(answer, c.get('encoding'));
  c.set('finished', finished);
  c.header('ETag', finished.etag);
  c.header('Cache-Control', answer.cacheControl ?? 'no-cache');
  c.header('Vary', 'Accept-Encoding');
  if (isCurrent(c.req.header('if-none-match'), finished.etag)) return c.body(null, 304);
  return c.body(finished.body, { headers: finished.headers });
}

/** A page with its ETag. */
export const answerPage = (
  c: Request,
  page: { toString(): string },
  cachePolicy?: CachePolicy,
): Promise<Response> =>
  answerWithETag(c, { type: 'text/html; charset=utf-8', body: String(page), cachePolicy });

/** JSON with its ETag. */
export const answerJson = (c: Request, value: unknown, cachePolicy?: CachePolicy): Promise<Response> =>
  answerWithETag(c, { type: 'application/json', body: `${JSON.stringify(value)}\n`, cachePolicy });

/** JSON for this caller and this moment: never cached. */
export const answerOnce = (c: Request, value: object): Response =>
  c.json(value, 200, { 'Cache-Control': 'no-store' });
