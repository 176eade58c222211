import { hash } from 'node:crypto';
import type { Request } from './environment.ts';

/** Something to send: its media type, its text, how long it may be kept. */
export interface Answer {
  readonly type: string;
  readonly body: string;
  readonly cacheControl?: string;
}

const isHeld = (c: Request, etag: string) =>
  (c.req.header('if-none-match') ?? '')
    .split(',')
    .some((held) => held.trim() === '*' || held.trim().replace(/^W\//, '') === etag);

/** Sends a text with a strong ETag of its content; 304 where the caller holds it. Kept only after asking, unless said. */
export function answerWithETag(c: Request, { type, body, cacheControl = 'no-cache' }: Answer): Response {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
  c.header('ETag', etag);
  c.header('Cache-Control', cacheControl);
  if (isHeld(c, etag)) return c.body(null, 304);
  return c.body(body, { headers: { 'Content-Type': type } });
}

/** A page with its ETag. */
export const answerPage = (c: Request, page: { toString(): string }): Response =>
  answerWithETag(c, { type: 'text/html; charset=utf-8', body: String(page) });

/** JSON with its ETag. */
export const answerJson = (c: Request, value: unknown): Response =>
  answerWithETag(c, { type: 'application/json', body: `${JSON.stringify(value)}\n` });

/** JSON of this moment for this caller: never kept. */
export const answerOnce = (c: Request, value: object): Response =>
  c.json(value, 200, { 'Cache-Control': 'no-store' });

/** What `make` makes, made when it is first asked for and kept. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
