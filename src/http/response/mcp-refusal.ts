import type { Problem } from '../../problem.ts';
import type { ProblemCode } from '../../problem-table.ts';
import type { Request } from '../environment.ts';
import { toWaitHeaders } from './wait-headers.ts';

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
