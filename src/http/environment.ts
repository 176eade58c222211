import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { Refusal } from '../limits/limit.ts';
import type { Site } from '../views/layout/site.ts';
import type { Encoding, Finished } from './finished.ts';

/** What a request carries through the app. */
export interface HttpEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The service's context with the caller of this request. */
    context: Context;
    /** The tool that it calls over MCP, for the access log. */
    tool: string | undefined;
    /** The coding that its Accept-Encoding prefers. */
    encoding: Encoding;
    /** Why a limit of requests refused it. */
    refusal: Refusal | undefined;
    /** Its answer, if that was made as bytes. */
    finished: Finished | undefined;
    /** Whether its answer already has the security headers. */
    isSecured: boolean | undefined;
  };
}

/** One request, as handlers get it. */
export type Request = HonoContext<HttpEnvironment>;

/** What the routes of one app share. */
export interface Face {
  readonly context: Context;
  readonly site: Site;
}
