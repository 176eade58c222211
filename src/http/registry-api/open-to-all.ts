import type { MiddlewareHandler } from 'hono';
import type { HttpEnvironment } from '../environment.ts';

/** Headers that GitHub asks of a registry on all its routes. */
const headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
};

/** Lets pages of any origin read the routes of a registry, and answers their preflights. */
export const openToAll: MiddlewareHandler<HttpEnvironment> = async (c, next) => {
  if (c.req.method === 'OPTIONS') return c.body(null, 204, headers);
  await next();
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
};
