import type { StatusCode } from 'hono/utils/http-status';
import { Problem, type ProblemCode, problemTable, toProblem } from '../core/problem.ts';
import { toProblemPage } from '../views/pages.ts';
import type { Face, Request } from './call.ts';
import { toWaitHeaders } from './response.ts';

/** JSON-RPC codes of problems; all others have -32000, which is left to implementations. */
const rpcCodes: Partial<Record<ProblemCode, number>> = {
  invalid_request: -32600,
  secret_in_body: -32600,
  internal: -32603,
};

/** A problem as a JSON-RPC error. Its id is null, since no request was read. */
export function toRpcError(problem: Problem, rpcCode = rpcCodes[problem.code] ?? -32000): Response {
  const { status, message, facts } = problem;
  const error = { code: rpcCode, message, data: problem.toJSON() };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id: null, error }), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(facts.allow && { Allow: facts.allow.join(', ') }),
      ...toWaitHeaders(facts),
    },
  });
}

const exposed = 'Retry-After, RateLimit, RateLimit-Policy, Mcp-Session-Id';

/** Lets scripts of any site read the answer: the endpoint is public and uses no cookies. */
export function withCors(c: Request, response: Response): Response {
  if (!c.req.header('origin')) return response;
  response.headers.set('Access-Control-Allow-Origin', '*');
  response.headers.set('Access-Control-Expose-Headers', exposed);
  return response;
}

/** Whether a path is the endpoint's, with or without a slash at its end. */
export const isMcpPath = (path: string): boolean => /^\/api\/mcp\/?$/.test(path);

/** A refusal of the endpoint: JSON-RPC that scripts of any site can read. */
export const toMcpRefusal = (c: Request, problem: Problem): Response => withCors(c, toRpcError(problem));

/** A problem as application/problem+json (RFC 9457), with `code` and the facts that help. */
function toProblemJson(problem: Problem, publicUrl: string): Record<string, unknown> {
  const { title, next } = problemTable[problem.code];
  const { code, message: _, ...facts } = problem.toJSON();
  return {
    type: `${publicUrl}/tools#${problem.code}`,
    title,
    status: problem.status,
    detail: [problem.facts.detail, next].filter(Boolean).join(' '),
    code,
    ...facts,
  };
}

const ardCodes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
};

/** A problem as ARD has it (Appendix B): what was withdrawn is not found, and input that does not fit is malformed. */
function toArdProblem({ status: own, message }: Problem) {
  const status = own === 410 ? 404 : own === 422 ? 400 : own;
  const errorCode = ardCodes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_ARGUMENT');
  return { status, errorCode, message };
}

function problemHeaders({ code, status, facts }: Problem): Record<string, string> {
  const error = code === 'capability_required' ? '' : ', error="invalid_token"';
  return {
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    ...toWaitHeaders(facts),
    ...(facts.allow && { Allow: facts.allow.join(', ') }),
    ...(status === 401 && { 'WWW-Authenticate': `Bearer realm="dossier"${error}` }),
  };
}

/** A problem as an answer that is no page. */
export const toProblemAnswer = (problem: Problem, publicUrl: string) => ({
  status: problem.status,
  headers: { ...problemHeaders(problem), 'Content-Type': 'application/problem+json' },
  body: JSON.stringify(toProblemJson(problem, publicUrl)),
});

/** Whether an Accept header is that of a browser, which gets a page, unless it asks for the JSON API or ARD, which have none. */
export const wantsHtml = (path: string, accept = ''): boolean =>
  !/^\/(?:api|ard)\//.test(path) && accept.includes('text/html');

/** Whether the caller is a browser, which gets a page. */
export const wantsPage = (c: Request): boolean => wantsHtml(c.req.path, c.req.header('accept'));

/** The words of an address under /agents that somebody looked for, as `com example sms`. */
const wantedBy = (c: Request): string =>
  /^\/agents\/([\w./-]{1,200})$/
    .exec(c.req.path)?.[1]
    ?.replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim() ?? '';

/** Answers a problem: as a page for browsers, otherwise as problem+json. */
export function answerProblem(c: Request, problem: Problem, { site }: Face): Response {
  for (const [name, value] of Object.entries(problemHeaders(problem))) c.header(name, value);
  c.status(problem.status as StatusCode);
  if (wantsPage(c)) return c.html(String(toProblemPage(site, problem, wantedBy(c))));
  const ard = c.req.path.startsWith('/ard/') ? toArdProblem(problem) : undefined;
  if (ard) c.status(ard.status as StatusCode);
  const body = JSON.stringify({ ...toProblemJson(problem, site.config.publicUrl), ...ard });
  return c.body(body, { headers: { 'Content-Type': 'application/problem+json' } });
}

/** Turns every exception into an answer; one that is not a Problem is logged and answered as `internal`. */
export const createErrorHandler = (face: Face) => (error: Error, c: Request) => {
  const problem = toProblem(error, face.context);
  return isMcpPath(c.req.path) ? toMcpRefusal(c, problem) : answerProblem(c, problem, face);
};

/** Answers a method that a path does not support: OPTIONS with 204, others with 405, both with Allow. */
export function answerMethod(c: Request, allow: string[], face: Face): Response {
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: allow.join(', ') });
  return answerProblem(c, new Problem('method_not_allowed', { allow }), face);
}
