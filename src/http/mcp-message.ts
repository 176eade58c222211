import { isJsonContentType } from '@modelcontextprotocol/server';
import { findSecret } from '../core/keys/capability.ts';
import { Problem } from '../core/problem.ts';
import { tools } from '../tools/index.ts';
import { type BodyBounds, bodyBoundsOf, bodyCost, defaultBody, type Tool } from '../tools/tool.ts';
import type { Request, TakeLargeBody } from './call.ts';
import { toRpcError } from './problems.ts';
import { parseJson, readText, requireFewValues } from './request.ts';

const repeated = ['mcp-method', 'mcp-name', 'mcp-protocol-version'] as const;

/** The tool's own refusal is a result that models read. */
function outsideArguments(message: unknown): unknown {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: object };
  if (method !== 'tools/call') return message;
  return { ...(message as object), params: { ...params, arguments: undefined } };
}

/** In parts that answers or errors would repeat. Throws secret_in_body. */
function refuseStraySecret(headers: Pick<Headers, 'get'>, text: string, message: unknown): void {
  // A capability has the prefix, or an escape that may be part of it.
  const isSuspicious = text.includes('dossier_cap_') || text.includes('\\u');
  const isStray =
    repeated.some((name) => findSecret(headers.get(name) ?? '')) ||
    (isSuspicious && findSecret(outsideArguments(message)));
  if (isStray) throw new Problem('secret_in_body');
}

const maxBytes = defaultBody.bytes;
const largeTools = tools.filter(({ largeBody }) => largeBody);
const most_bytes = Math.max(maxBytes, ...largeTools.map((tool) => bodyBoundsOf(tool).bytes));
const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** Smaller bounds of a tool do not apply here. */
const boundsOf = (tool: Tool | undefined): BodyBounds => tool?.largeBody ?? defaultBody;

function requireWithin(text: string, bounds: BodyBounds): { bytes: number; values: number } {
  const bytes = Buffer.byteLength(text);
  if (bytes > bounds.bytes)
    throw new Problem('body_too_large', `At most ${bounds.bytes} bytes are read here.`);
  return { bytes, values: requireFewValues(text, bounds) };
}

/** Without a declared length, only a beginning that names such a tool may be long. */
const limitOfStart = (start: Buffer): number =>
  largeTools.some(({ name }) => start.includes(name)) ? most_bytes : maxBytes;

/**
 * Charges a large message before parsing. Throws body_too_large, invalid_request, rate_limited or
 * secret_in_body.
 */
export function parseMessage(text: string, headers: Pick<Headers, 'get'>, take: TakeLargeBody): unknown {
  const named = largeTools.find(({ name }) => text.includes(name));
  const { bytes, values } = requireWithin(text, boundsOf(named));
  const isLarge = bytes > maxBytes || values > defaultBody.values;
  if (isLarge && named) take(named, bodyCost(bytes, values));
  const message = parseJson(text, (value) => {
    const called = toolsByName.get(toolOf(value) ?? '');
    if (isLarge) requireWithin(text, boundsOf(called));
    else if (called?.largeBody) take(called, bodyCost(bytes, values));
    return boundsOf(called).depth;
  });
  refuseStraySecret(headers, text, message);
  return message;
}

/** A batch would make many calls for one POST. */
export async function readMessage(c: Request): Promise<{ body: unknown } | { refusal: Response }> {
  const { raw } = c.req;
  if (!isJsonContentType(raw.headers.get('content-type'))) throw new Problem('unsupported_media_type');
  try {
    const isDeclared = raw.headers.has('content-length');
    const text = await readText(raw, isDeclared ? most_bytes : maxBytes, limitOfStart);
    const body = parseMessage(text, raw.headers, c.get('takeLargeBody'));
    if (!Array.isArray(body)) return { body };
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_request')
      return { refusal: toRpcError(error, -32700) };
    throw error;
  }
  throw new Problem('invalid_request', 'Batches are not accepted: send one message in each POST.');
}

export function toolOf(message: unknown): string | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  const name = method === 'tools/call' ? params?.name : undefined;
  return typeof name === 'string' && toolsByName.has(name) ? name : undefined;
}
