import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { HttpEnvironment } from '../environment.ts';

const chosen = /^[\w\-=]{1,40}$/;

/** The id of a request: the one that its X-Request-Id names, if that is 1 to 40 letters, digits, `_`, `-` or `=`; else a new UUID. */
export const toRequestId = (sent: string | undefined): string =>
  sent !== undefined && chosen.test(sent) ? sent : randomUUID();

/** Gives each request its id, which the answer repeats. */
export const nameRequest: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  const id = toRequestId(c.req.header('x-request-id'));
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  await next();
};
