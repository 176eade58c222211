import { isJsonContentType } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Selection } from '../config/files.ts';
import type { Context } from '../context.ts';
import { isHandle, requireHandle } from '../core/handle.ts';
import { countValues, decodeUtf8, readBounded, readForeignJson, toStorable } from '../core/json.ts';
import { findSecret } from '../core/keys/capability.ts';
import { readCursor, toCursor } from '../core/paging/cursor.ts';
import { Problem } from '../core/problem.ts';
import { nextTurn } from '../core/turns.ts';
import { toText } from '../core/words.ts';
import { findPrivateSelection, requireSelection } from '../selections/members.ts';
import { isKnownHandle } from '../tools/find/listing.ts';
import { tools } from '../tools/index.ts';
import {
  type BodyBounds,
  type Bounded,
  bodyBoundsOf,
  bodyCost,
  callTool,
  defaultBody,
  type Tool,
} from '../tools/tool.ts';
import type { Request, TakeLargeBody } from './call.ts';
import { toRpcError } from './problems.ts';

/** Throws only Problem. */
export const call = <Input extends z.ZodObject, Output extends z.ZodObject>(
  c: Request,
  tool: Tool<Input, Output>,
  input: unknown,
): Promise<z.output<Output>> => callTool(tool, input, c.get('context'));

/** Larger ones take turns: many that arrive together would be one piece of work. */
const small_bytes = 8192;

/**
 * Node enforces a declared length; `raise` may allow more after the beginning. Throws body_too_large,
 * unsupported_media_type or invalid_request.
 */
async function readText(request: globalThis.Request, limit_bytes: number, raise?: (start: Buffer) => number) {
  const encoding = request.headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') throw new Problem('unsupported_media_type');
  const declared = request.headers.get('content-length');
  const tooLarge = () => new Problem('body_too_large', `At most ${limit_bytes} bytes are read here.`);
  if (Number(declared ?? 0) > limit_bytes) throw tooLarge();
  const read = async () => {
    if (declared) return request.arrayBuffer();
    return request.body ? readBounded(request.body, limit_bytes, { raise }) : Buffer.alloc(0);
  };
  // A broken connection is the caller's fault.
  const body = await read().catch(() => {
    throw new Problem('invalid_request', 'The connection ended before the body did.');
  });
  if (!body) throw tooLarge();
  const text = decodeUtf8(body);
  if (text === undefined) throw new Problem('invalid_request', 'The body is not UTF-8.');
  if (text.length > small_bytes) await nextTurn();
  return text;
}

/** Throws body_too_large. */
function requireFewValues(text: string, { values }: BodyBounds): number {
  const count = countValues(text);
  if (count > values) throw new Problem('body_too_large', `At most ${values} values of JSON are read here.`);
  return count;
}

/** Throws invalid_request, also for more levels than `maxDepthOf` returns. */
function parseJson(text: string, maxDepthOf: (value: unknown) => number): unknown {
  const { value, refused } = readForeignJson(text, maxDepthOf);
  if (refused) throw new Problem('invalid_request', `The JSON has ${toText(refused)}.`);
  if (value === undefined) throw new Problem('invalid_request', 'The body is not JSON.');
  return value;
}

const mediaType = (c: Request) => (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();

/** Throws unsupported_media_type, body_too_large, invalid_request or rate_limited. */
export async function readJson(c: Request, of: Bounded = {}): Promise<unknown> {
  const bounds = bodyBoundsOf(of);
  if (mediaType(c) !== 'application/json') throw new Problem('unsupported_media_type');
  const text = await readText(c.req.raw, bounds.bytes);
  const values = requireFewValues(text, bounds);
  if (of.largeBody) c.get('takeLargeBody')(of, bodyCost(Buffer.byteLength(text), values));
  return parseJson(text, () => bounds.depth);
}

function requireSameOrigin(c: Request): void {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  const ours = site
    ? site === 'same-origin' || site === 'none'
    : !origin || origin === new URL(c.get('context').config.publicUrl).origin;
  if (!ours) throw new Problem('forbidden_origin');
}

/** Without empty fields. Throws forbidden_origin, or as `readText` does. */
export async function readForm(c: Request, limit_bytes: number): Promise<Record<string, string>> {
  requireSameOrigin(c);
  if (mediaType(c) !== 'application/x-www-form-urlencoded')
    throw new Problem('unsupported_media_type', 'A form is sent as application/x-www-form-urlencoded.');
  const text = await readText(c.req.raw, limit_bytes);
  const fields = Object.fromEntries([...new URLSearchParams(text)].filter(([, value]) => value !== ''));
  return toStorable(fields) as Record<string, string>;
}

/** Those parameters of the query that are not empty. */
export const queryOf = <Name extends string>(c: Request, names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => (c.req.query(name) ? [[name, c.req.query(name)]] : [])),
  ) as Partial<Record<Name, string>>;

/** Its slash may be encoded. */
const writtenOf = (c: Request) =>
  c.req.param('handle') ?? `${c.req.param('namespace')}/${c.req.param('name')}`;

/** Handles may end like an ending: the longest known handle counts. */
export async function listingOf(c: Request, endings: readonly string[]) {
  const written = writtenOf(c);
  const named = ['', ...endings.filter((text) => written.endsWith(text))]
    .map((ending) => ({ handle: written.slice(0, written.length - ending.length), ending }))
    .filter(({ handle }) => isHandle(handle));
  const last = named.pop();
  if (!last) return { handle: requireHandle(written), ending: '' };
  for (const one of named) if (await isKnownHandle(one.handle, c.get('context'))) return one;
  return last;
}

export function listingNamesOf(c: Request): string[] {
  const written = writtenOf(c);
  const shorter = written.replace(/\.(json|md|svg)$/, '');
  return [...new Set([written, shorter, shorter.replace(/\.intoto$/, '')])];
}

/** To a listing whose handle differs only in case. */
export async function orRedirect(c: Request, handle: string, work: () => Promise<Response>) {
  try {
    return await work();
  } catch (error) {
    const near = error instanceof Problem && error.code === 'unknown_handle' ? error.facts.near : [];
    const twin = near?.find((other) => other.toLowerCase() === handle.toLowerCase());
    if (!twin) throw error;
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(decodeURIComponent(pathname).replace(handle, () => twin) + search, 308);
  }
}

/** Redirects as `orRedirect` does. Throws invalid_handle. */
export function ofListing(c: Request, work: (handle: string, context: Context) => Promise<Response>) {
  const handle = requireHandle(writtenOf(c));
  return orRedirect(c, handle, () => work(handle, c.get('context')));
}

/** Joins repeated headers as `Headers` does; `incoming.headers` keeps only the first of some. */
export function headerOf(rawHeaders: readonly string[], lowerName: string): string {
  let joined: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length !== lowerName.length || name.toLowerCase() !== lowerName) continue;
    const value = rawHeaders[at + 1] ?? '';
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined ?? '';
}

export const positionOf = (cursor: string | undefined): string | undefined =>
  readCursor(cursor, () => z.tuple([z.string().max(200)]))?.[0];
export const cursorOf = (next: string | undefined): string | undefined => next && toCursor([next]);

/** Only for its readers, and not for shared caches, if private. Throws not_found. */
export function viewOf(c: Request): Selection {
  const name = c.req.param('view') ?? '';
  const found = findPrivateSelection(name, c.get('context'));
  if (!found) return requireSelection(name, c.get('context'));
  c.set('isPrivate', true);
  c.header('Cache-Control', 'private, no-cache');
  return found;
}

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
