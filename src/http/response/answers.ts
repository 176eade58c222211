import { hash } from 'node:crypto';
import type { Request } from '../environment.ts';
import type { CachePolicy, Finished } from '../finished.ts';
import { type Encoding, encode, encodeAgain, toEncoding } from './encodings.ts';

/** Something to send: its media type, its text, how long it may be kept. */
export interface Answer {
  readonly type: string;
  readonly body: string;
  readonly cacheControl?: string;
  /** Left out where the caller is in it, or what it says may not be late: then it is made anew each time. */
  readonly cachePolicy?: CachePolicy | undefined;
}

const namesTag = (ifNoneMatch: string, etag: string) =>
  ifNoneMatch.split(',').some((held) => held.trim() === '*' || held.trim().replace(/^W\//, '') === etag);

/** Whether an If-None-Match header names a tag: whoever sent it holds these bytes. */
export const isHeld = (ifNoneMatch: string | null | undefined, etag: string): boolean =>
  ifNoneMatch ? ifNoneMatch === etag || namesTag(ifNoneMatch, etag) : false;

/** What a text is known by: it has another one as soon as it changes. */
export const toTag = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);

const suffixes: Readonly<Record<Encoding, string>> = { br: '-br', gzip: '-gzip', identity: '' };

function finish({ type, body: text, cachePolicy }: Answer, wanted: Encoding): Finished {
  const tag = toTag(text);
  const isMadeOnce = cachePolicy && cachePolicy.maxAge_ms === undefined;
  const { body, encoding } = isMadeOnce ? encode(text, wanted) : encodeAgain(text, wanted, tag);
  return {
    // Strong, so each coding has its own (RFC 9110, section 8.8.3.3).
    etag: `"${tag}${suffixes[encoding]}"`,
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
 * Sends a text in the coding that is asked for, with a strong ETag; 304 where the caller holds it. A browser asks each
 * time before it shows what it holds, unless `cacheControl` says otherwise.
 */
export function answerWithETag(c: Request, answer: Answer): Response {
  const finished = finish(answer, toEncoding(c.req.header('accept-encoding')));
  c.set('finished', finished);
  c.header('ETag', finished.etag);
  c.header('Cache-Control', answer.cacheControl ?? 'no-cache');
  c.header('Vary', 'Accept-Encoding');
  if (isHeld(c.req.header('if-none-match'), finished.etag)) return c.body(null, 304);
  return c.body(finished.body, { headers: finished.headers });
}

/** A page with its ETag. */
export const answerPage = (c: Request, page: { toString(): string }, cachePolicy?: CachePolicy): Response =>
  answerWithETag(c, { type: 'text/html; charset=utf-8', body: String(page), cachePolicy });

/** JSON with its ETag. */
export const answerJson = (c: Request, value: unknown, cachePolicy?: CachePolicy): Response =>
  answerWithETag(c, { type: 'application/json', body: `${JSON.stringify(value)}\n`, cachePolicy });

/** JSON of this moment for this caller: never kept. */
export const answerOnce = (c: Request, value: object): Response =>
  c.json(value, 200, { 'Cache-Control': 'no-store' });
