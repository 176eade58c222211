import { isJsonContentType } from '@modelcontextprotocol/server';
import { Problem } from '../../problem.ts';
import { tools } from '../../tools/index.ts';
import type { Request } from '../environment.ts';
import { toRpcError } from '../response/mcp-refusal.ts';
import { parseJson, readText } from './body.ts';
import { refuseStraySecret } from './mcp-secret.ts';

const maxBytes = 64 * 1024;

/** Parses a message; throws invalid_request or secret_in_body. */
export function parseMessage(text: string, headers: Pick<Headers, 'get'>): unknown {
  const message = parseJson(text);
  refuseStraySecret(headers, text, message);
  return message;
}

/** The parsed body, or its refusal. Batches are refused: one POST of many calls would get around the limits. */
export async function readMessage(c: Request): Promise<{ body: unknown } | { refusal: Response }> {
  const { raw } = c.req;
  if (!isJsonContentType(raw.headers.get('content-type'))) throw new Problem('unsupported_media_type');
  try {
    const text = await readText(raw, maxBytes);
    const body = parseMessage(text, raw.headers);
    if (!Array.isArray(body)) return { body };
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request')
      return { refusal: toRpcError(error, -32700) };
    throw error;
  }
  throw new Problem('invalid_request', { detail: 'Batches are not accepted: send one message a POST.' });
}

const toolNames = new Set(tools.map(({ name }) => name));

/** The tool that a message calls; undefined for any other message, and for a name that is no tool of ours. */
export function toolOf(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' && toolNames.has(name) ? name : undefined;
}
