import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Context } from '../context.ts';
import { Problem, type ProblemCode, problemTable, toProblem } from '../core/problem.ts';
import { badgePolicy, toBadgeSvg } from '../views/listing/badge.ts';
import { toProblemPage } from '../views/pages.ts';
import type { Request } from './call.ts';
import { toMcpCorsHeaders } from './middleware.ts';
import { toFactHeaders } from './response.ts';

/** Others have -32000, reserved for implementations. */
const rpcCodes: Partial<Record<ProblemCode, number>> = {
  invalid_request: -32600,
  secret_in_body: -32600,
  internal: -32603,
};

interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function toRpcAnswer(problem: Problem, rpcCode = rpcCodes[problem.code] ?? -32000): ProblemAnswer {
  const { status, message, facts } = problem;
  const error = { code: rpcCode, message, data: problem.toJSON() };
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...toFactHeaders(facts),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error }),
  };
}

/** The id is null, because most problems precede the reading of a request. */
export function toRpcError(problem: Problem, rpcCode?: number): Response {
  const { body, ...sent } = toRpcAnswer(problem, rpcCode);
  return new Response(body, sent);
}

export function withCors(c: Request, response: Response): Response {
  for (const [name, value] of Object.entries(toMcpCorsHeaders(c.req.header('origin'))))
    response.headers.set(name, value);
  return response;
}

export const isMcpPath = (path: string): boolean => /^\/api\/mcp\/?$/.test(path);

export const toMcpRefusal = (c: Request, problem: Problem): Response => withCors(c, toRpcError(problem));

/** RFC 9457, with `code` and the facts of the problem. */
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
    ...(facts.candidates && { untrusted_fields: ['detail', 'candidates'] }),
  };
}

const ardCodes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  404: 'NOT_FOUND',
  429: 'RATE_LIMIT_EXCEEDED',
};

function problemHeaders({ code, status, facts }: Problem): Record<string, string> {
  const error = code === 'capability_required' ? '' : ', error="invalid_token"';
  return {
    'Cache-Control': 'no-store',
    Vary: 'Accept',
    ...toFactHeaders(facts),
    ...(status === 401 && { 'WWW-Authenticate': `Bearer realm="dossier"${error}` }),
  };
}

export const toProblemAnswer = (problem: Problem, publicUrl: string): ProblemAnswer => ({
  status: problem.status,
  headers: { ...problemHeaders(problem), 'Content-Type': 'application/problem+json' },
  body: JSON.stringify(toProblemJson(problem, publicUrl)),
});

/** The JSON API and ARD have no pages. */
const wantsHtml = (path: string, accept = ''): boolean =>
  !/^\/(?:api|ard)\//.test(path) && accept.includes('text/html');

export const wantsPage = (c: Request): boolean => wantsHtml(c.req.path, c.req.header('accept'));

const wantedBy = (path: string): string =>
  /^\/agents\/([\w./-]{1,200})$/
    .exec(path)?.[1]
    ?.replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim() ?? '';

const isBadge = (path: string) => path.startsWith('/badge/') && !path.endsWith('.json');

/** Pages that embed a badge cannot show a problem document. */
function toBadgeProblem(problem: Problem): ProblemAnswer {
  const headers = {
    ...problemHeaders(problem),
    'Content-Type': 'image/svg+xml; charset=utf-8',
    'Content-Security-Policy': badgePolicy,
  };
  const body = toBadgeSvg(problemTable[problem.code].title.toLowerCase(), 'flat');
  return { status: problem.status, headers, body };
}

/** The same for the fast path and the app. */
export function toRefusalAnswer(
  { path, accept, origin }: { readonly path: string } & Partial<Record<'accept' | 'origin', string>>,
  problem: Problem,
  site: Pick<Context, 'config'>,
): ProblemAnswer {
  if (isMcpPath(path)) {
    const answer = toRpcAnswer(problem);
    return { ...answer, headers: { ...answer.headers, ...toMcpCorsHeaders(origin) } };
  }
  if (isBadge(path)) return toBadgeProblem(problem);
  if (wantsHtml(path, accept)) {
    const headers = { ...problemHeaders(problem), 'Content-Type': 'text/html; charset=UTF-8' };
    return { status: problem.status, headers, body: String(toProblemPage(site, problem, wantedBy(path))) };
  }
  const answer = toProblemAnswer(problem, site.config.publicUrl);
  if (!path.startsWith('/ard/')) return answer;
  const { status: own, message } = problem;
  // ARD (Appendix B) has neither 410 nor 422.
  const status = own === 410 ? 404 : own === 422 ? 400 : own;
  const errorCode = ardCodes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_ARGUMENT');
  const ard = { status, errorCode, message };
  const body = JSON.stringify({ ...toProblemJson(problem, site.config.publicUrl), ...ard });
  return { ...answer, status, body };
}

export function answerError(error: Error, c: Request): Response {
  const context = c.get('context');
  const { path } = c.req;
  const asked = { path, accept: c.req.header('accept'), origin: c.req.header('origin') };
  const { status, headers, body } = toRefusalAnswer(asked, toProblem(error, context), context);
  return c.body(body, status as ContentfulStatusCode, { ...headers });
}

export function answerMethod(c: Request, allow: string[]): Response {
  if (c.req.method === 'OPTIONS') return c.body(null, 204, { Allow: allow.join(', ') });
  return answerError(new Problem('method_not_allowed', { allow }), c);
}
