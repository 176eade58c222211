import type { MiddlewareHandler } from 'hono';
import type { Context } from '../../context.ts';
import type { Face, HttpEnvironment } from '../environment.ts';
import { holdsSecret } from './address.ts';

/** An answer as the access log shows it; `start` is a performance.now(). */
export interface LoggedAnswer {
  readonly request: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The tool that was called over MCP. */
  readonly tool?: string | undefined;
  readonly start: number;
}

/** Writes one log line: request id, method, path without query, tool, status, milliseconds. Never an address. */
export function logAnswer({ log }: Pick<Context, 'log'>, { start, ...answer }: LoggedAnswer): void {
  log.info({ ...answer, ms: Math.round((performance.now() - start) * 10) / 10 }, 'answered');
}

/** Logs every answer. */
export const createAccessLog =
  ({ context }: Face): MiddlewareHandler<HttpEnvironment> =>
  async (c, next) => {
    const start = performance.now();
    await next();
    const path = holdsSecret(c.req.path) ? '[capability]' : c.req.path.slice(0, 300);
    const { method } = c.req;
    const [request, tool] = [c.get('requestId'), c.get('tool')];
    logAnswer(context, { request, method, path, tool, status: c.res.status, start });
  };
