import type { HttpBindings } from '@hono/node-server';
import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { ChangedHandles } from '../store/store.ts';
import { type Bounded, callTool, type Tool } from '../tools/tool.ts';
import type { PageSite } from '../views/layout.ts';

export type Encoding = 'br' | 'gzip' | 'identity';

/** How long a finished answer may be cached. An answer that depends on its caller has no policy. */
export interface CachePolicy {
  /** The handles whose change makes it stale; 'all' if any listing's change does. */
  readonly cacheTags: ChangedHandles;
  /**
   * The longest age. By default it is the time until something is due to change, a minute if that is not
   * known, and unlimited without cache tags.
   */
  readonly maxAge_ms?: number | undefined;
}

export interface Finished {
  readonly etag: string;
  readonly body: Buffer<ArrayBuffer>;
  /** Headers that describe the body; a 304 has none of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cachePolicy?: CachePolicy | undefined;
}

/** Charges a call with a large body to the tool's own limit. Throws rate_limited. */
export type TakeLargeBody = (tool: Bounded, cost: number) => void;

export interface HttpEnvironment {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    context: Context;
    /** The tool that the request calls over MCP, for the access log. */
    tool: string | undefined;
    /** The coding that the Accept-Encoding of the request prefers. */
    encoding: Encoding;
    takeLargeBody: TakeLargeBody;
    /** The answer, if it was made as bytes. */
    finished: Finished | undefined;
    /** Tells whether the answer is for this caller alone, so that no cache may store it. */
    isPrivate: boolean | undefined;
    /** Tells whether the answer already has the security headers. */
    isSecured: boolean | undefined;
  };
}

export type Request = HonoContext<HttpEnvironment>;

export interface HttpAdapter {
  readonly context: Context;
  readonly site: PageSite;
}

/** Runs a tool for the caller of a request, with the type of its answer. Throws only Problem. */
export const call = <Input extends z.ZodObject, Output extends z.ZodObject>(
  c: Request,
  tool: Tool<Input, Output>,
  input: unknown,
): Promise<z.output<Output>> => callTool(tool, input, c.get('context'));
