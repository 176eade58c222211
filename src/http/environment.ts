import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { Site } from '../views/site.ts';

/** What a request carries through the app: its id and the service's context with its own caller. */
export interface HttpEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: { requestId: string; context: Context };
}

/** One request, as every handler of this directory gets it. */
export type Request = HonoContext<HttpEnvironment>;

/** What the routes of one app share. */
export interface Face {
  readonly context: Context;
  readonly site: Site;
}
