import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { ChangedHandles } from '../store/store.ts';
import type { Bounded } from '../tools/tool.ts';

export type Encoding = 'br' | 'gzip' | 'identity';

/** Only for an answer that is the same for all callers. */
export interface CachePolicy {
  /** Handles of listings and keys of views; `all` names every listing. */
  readonly cacheTags: ChangedHandles;
  /** By default, until something is due to change, or a minute; without tags, for ever. */
  readonly maxAge_ms?: number | undefined;
}

export interface Finished {
  readonly etag: string;
  readonly body: Buffer<ArrayBuffer>;
  /** A 304 has only some of them (`trimNotModified`). */
  readonly headers: Readonly<Record<string, string>>;
  readonly cachePolicy?: CachePolicy | undefined;
}

/** Charges the tool's own limit. Throws rate_limited. */
export type TakeLargeBody = (tool: Bounded, cost: number) => void;

export interface HttpEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** With the caller, once the request is counted. */
    context: Context;
    tool: string | undefined;
    encoding: Encoding;
    takeLargeBody: TakeLargeBody;
    finished: Finished | undefined;
    /** No shared cache may store the answer. */
    isPrivate: boolean | undefined;
    isSecured: boolean | undefined;
  };
}

export type Request = HonoContext<HttpEnvironment>;
