import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { Site } from '../views/layout/site.ts';
import type { Finished } from './finished.ts';

/** What the gate in front of the app hands on with a POST that it has read. */
export interface Read {
  readonly body: ArrayBuffer | Uint8Array;
  /** Called with the JSON of the answer where that is a result without isError. */
  readonly answered: (text: string) => void;
}

/** What a request carries through the app: its id, the service's context with its own caller, what it is answered. */
export interface HttpEnvironment {
  Bindings: Partial<HttpBindings & Read>;
  Variables: {
    requestId: string;
    context: Context;
    finished: Finished | undefined;
    /** Whether the answer was made with the security headers. */
    isSecured: boolean | undefined;
  };
}

/** One request, as every handler of this directory gets it. */
export type Request = HonoContext<HttpEnvironment>;

/** What the routes of one app share. */
export interface Face {
  readonly context: Context;
  readonly site: Site;
}
