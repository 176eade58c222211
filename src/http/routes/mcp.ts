import { Hono } from 'hono';
import type { Context } from '../../context.ts';
import { Problem, toProblem } from '../../core/problem.ts';
import { type Fixtures, openMcpAnswerer } from '../../mcp/http.ts';
import { toMcpPage } from '../../views/pages.ts';
import { type AnswerCache, toHeaderList } from '../cache/answer-cache.ts';
import { createMcpStore } from '../cache/mcp-cache.ts';
import type { HttpEnvironment, Request } from '../call.ts';
import { createOriginCheck, toMcpPreflight, toSecuredHeaders } from '../middleware.ts';
import { isMcpPath, toMcpRefusal, toRpcError, withCors } from '../problems.ts';
import { readMessage, toolOf } from '../request.ts';

const maxInFlight = 200;
const foreignPage =
  'Pages of other sites may call this service only if its operator names them in ALLOWED_ORIGINS.';
const methods = ['POST', 'OPTIONS'] as const;

async function open(context: Context, cache: AnswerCache, fixtures: Fixtures | undefined) {
  const answerer = await openMcpAnswerer(context, fixtures);
  const secured = await toSecuredHeaders(context.config, { 'Content-Type': 'application/json' });
  const unsubscribe = context.store.onChange((changed) => answerer.listingsChanged(changed));
  return { answerer, secured, toStore: createMcpStore(cache, toHeaderList(secured)), unsubscribe };
}

/** For all revisions of MCP, without sessions, cookies or 401. */
export function createMcpRoute(
  context: Context,
  { cache, fixtures }: { readonly cache: AnswerCache; readonly fixtures?: Fixtures | undefined },
) {
  const opening = open(context, cache, fixtures);
  opening.catch((err) => context.log.error({ err }, 'mcp did not open'));
  const isAllowed = createOriginCheck(context.config);
  const page = String(toMcpPage(context));
  let running = 0;
  let isDraining = false;
  const refuseIfDraining = () => {
    if (isDraining) throw new Problem('draining', { retry_after_s: 1 });
  };
  /** Counted as running once its body was read, because slow senders cost little. */
  const post = async (c: Request): Promise<Response> => {
    refuseIfDraining();
    const message = await readMessage(c);
    if ('refusal' in message) return message.refusal;
    const { answerer, secured, toStore } = await opening;
    const { body } = message;
    c.set('tool', toolOf(body));
    refuseIfDraining();
    if (running >= maxInFlight) throw new Problem('unavailable', { retry_after_s: 1 });
    const respond = (bytes: string) => {
      c.set('isSecured', true);
      return new Response(Buffer.from(bytes, 'latin1'), { headers: secured });
    };
    const asked = { request: c.req.raw, headers: c.req.raw.headers, body, context: c.get('context') };
    running += 1;
    try {
      return await answerer.answer({ ...asked, respond, ...toStore(asked) });
    } finally {
      running -= 1;
    }
  };

  const answer = async (c: Request): Promise<Response> => {
    const { method } = c.req;
    if (!isAllowed(c.req.header('origin'))) return toRpcError(new Problem('forbidden_origin', foreignPage));
    if (method === 'OPTIONS') return toMcpPreflight(c, methods);
    if (method === 'GET' && (c.req.header('accept') ?? '').includes('text/html')) return c.html(page);
    try {
      if (method !== 'POST') throw new Problem('method_not_allowed', { allow: methods });
      return withCors(c, await post(c));
    } catch (error) {
      return toMcpRefusal(c, toProblem(error, context));
    }
  };

  /** Ends subscriptions; a later message is answered `draining`. */
  const close = async () => {
    isDraining = true;
    const { answerer, unsubscribe } = await opening;
    unsubscribe();
    await answerer.close();
  };
  const routes = new Hono<HttpEnvironment>().all('/*', (c) =>
    isMcpPath(c.req.path) ? answer(c) : c.notFound(),
  );
  return Object.assign(routes, { close });
}
