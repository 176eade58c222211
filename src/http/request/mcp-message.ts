import { isJsonContentType } from '@modelcontextprotocol/server';
import { Problem, type ProblemCode } from '../../problem.ts';
import type { Request } from '../environment.ts';
import { toWaitHeaders } from '../response/wait-headers.ts';
import { parseJson, readText } from './body.ts';
import { refuseStraySecret } from './mcp-secret.ts';

const maxBytes = 64 * 1024;

/** JSON-RPC codes of problems; the others are the implementation's own, -32000. */
const rpcCodes: Partial<Record<ProblemCode, number>> = {
  invalid_request: -32600,
  secret_in_body: -32600,
  internal: -32603,
};

/** A problem as a JSON-RPC error. Its id is null: no request was read or answered. */
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

/** Lets scripts of any site read the answer: the endpoint is public and knows no cookies. */
export function withCors(c: Request, response: Response): Response {
  if (!c.req.header('origin')) return response;
  response.headers.set('Access-Control-Allow-Origin', '*');
  response.headers.set('Access-Control-Expose-Headers', exposed);
  return response;
}

/** Whether a path is the endpoint's, with or without a slash at its end. */
export const isMcpPath = (path: string): boolean => /^\/api\/mcp\/?$/.test(path);

/** A refusal of the endpoint, before or behind its door: JSON-RPC that a script of any site can read. */
export const toMcpRefusal = (c: Request, problem: Problem): Response => withCors(c, toRpcError(problem));

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** A declared length is held to by the server underneath, so such a body is read in one piece. */
async function readBody({ req: { raw: request }, env }: Request): Promise<string> {
  const { headers } = request;
  const declared = Number(headers.get('content-length') ?? Number.NaN);
  if (!(declared <= maxBytes) || headers.has('content-encoding')) return readText(request, maxBytes);
  try {
    return strictUtf8.decode(env?.body ?? (await request.arrayBuffer()));
  } catch {
    throw new Problem('invalid_request', { detail: 'The body is not UTF-8.' });
  }
}

/** The parsed body, or the refusal of it. A batch is refused: one POST of many calls would pass every limit. */
export async function readMessage(c: Request): Promise<{ body: unknown } | { refusal: Response }> {
  const { raw } = c.req;
  if (!isJsonContentType(raw.headers.get('content-type'))) throw new Problem('unsupported_media_type');
  try {
    const text = await readBody(c);
    const body = parseJson(text);
    refuseStraySecret(raw, text, body);
    if (!Array.isArray(body)) return { body };
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request')
      return { refusal: toRpcError(error, -32700) };
    throw error;
  }
  throw new Problem('invalid_request', { detail: 'Batches are not accepted: send one message a POST.' });
}
