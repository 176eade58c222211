import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { type Fixtures, openMcpAnswerer } from '../../mcp/http.ts';
import { Problem, toProblem } from '../../problem.ts';
import { createAssets } from '../../views/layout/assets.ts';
import { toMcpPage } from '../../views/pages/mcp-page.ts';
import type { HttpEnvironment, Request } from '../environment.ts';
import { toSecuredHeaders } from '../middleware/security-headers.ts';
import { readMessage } from '../request/mcp-message.ts';
import { isMcpPath, toMcpRefusal, withCors } from '../response/mcp-refusal.ts';

const maxInFlight = 200;
const methods = ['POST', 'OPTIONS'] as const;

/** What a script of another site may send; the protocol's own headers are reflected, not listed. */
const sendable =
  /^(content-type|accept|authorization|x-agent-capability|last-event-id|mcp-[a-z0-9-]{1,60})$/i;

function answerPreflight(c: Request): Response {
  const asked = (c.req.header('access-control-request-headers') ?? '').split(',').map((name) => name.trim());
  return new Response(null, {
    status: 204,
    headers: {
      Allow: methods.join(', '),
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': asked.filter((name) => sendable.test(name)).join(', '),
      'Access-Control-Max-Age': '86400',
      Vary: 'Access-Control-Request-Headers',
    },
  });
}

/** The routes of the endpoint, to be mounted at its address. */
export interface McpRoutes extends Hono<HttpEnvironment> {
  /** Ends open subscriptions; every later request is answered `draining`. */
  close(): Promise<void>;
}

/** Requests being answered, so that a flood is refused while it is cheap to do so. */
function createGate() {
  let inFlight = 0;
  let draining = false;
  const requireOpen = () => {
    if (draining) throw new Problem('draining', { retry_after_s: 1 });
  };
  return {
    requireOpen,
    drain: () => {
      draining = true;
    },
    async pass(work: () => Promise<Response>): Promise<Response> {
      requireOpen();
      if (inFlight >= maxInFlight) throw new Problem('unavailable', { retry_after_s: 1 });
      inFlight++;
      try {
        return await work();
      } finally {
        inFlight--;
      }
    },
  };
}

/**
 * The MCP endpoint for both eras, without sessions, cookies or 401: POST answers one message with one message, a
 * browser's GET shows how to connect. The caller is the one that `c.get('context')` names.
 */
export function createMcpRoute(context: Context, fixtures?: Fixtures): McpRoutes {
  const gate = createGate();
  const opened = openMcpAnswerer(context, fixtures).then(async (answerer) => ({
    answerer,
    headers: await toSecuredHeaders(context.config, { 'Content-Type': 'application/json' }),
    unsubscribe: context.store.onChange((written) => answerer.listingsChanged(written)),
  }));
  opened.catch((err) => context.log.error({ err }, 'mcp did not open'));
  const page = String(toMcpPage({ config: context.config, assets: createAssets() }));

  /** Reading counts as nothing in flight: a body has a size and a time of its own, and many slow ones harm nobody. */
  const answerPost = async (c: Request) => {
    gate.requireOpen();
    const message = await readMessage(c);
    if ('refusal' in message) return message.refusal;
    const { answerer, headers } = await opened;
    const { caller } = c.get('context');
    const respond = (text: string) => {
      c.set('isSecured', true);
      return new Response(text, { headers });
    };
    const posted = { request: c.req.raw, body: message.body, caller, answered: c.env?.answered, respond };
    return gate.pass(() => answerer.answer(posted));
  };

  const answer = async (c: Request): Promise<Response> => {
    const { method } = c.req;
    if (method === 'OPTIONS') return answerPreflight(c);
    if (method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')) return c.html(page);
    try {
      if (method !== 'POST') throw new Problem('method_not_allowed', { allow: methods });
      return withCors(c, await answerPost(c));
    } catch (error) {
      return toMcpRefusal(c, toProblem(error, context));
    }
  };

  const close = async () => {
    gate.drain();
    const { answerer, unsubscribe } = await opened;
    unsubscribe();
    await answerer.close();
  };
  // With and without a slash at its end; what is below it is not the endpoint.
  const routes = new Hono<HttpEnvironment>().all('/*', (c) =>
    isMcpPath(c.req.path) ? answer(c) : c.notFound(),
  );
  return Object.assign(routes, { close });
}
