import { isJsonContentType } from '@modelcontextprotocol/server';
import { Problem } from '../../problem.ts';
import type { Request } from '../environment.ts';
import { toRpcError } from '../response/mcp-refusal.ts';
import { parseJson, readText } from './body.ts';
import { refuseStraySecret } from './mcp-secret.ts';

const maxBytes = 64 * 1024;

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
