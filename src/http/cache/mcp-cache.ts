import type { IncomingMessage } from 'node:http';
import { PROTOCOL_VERSION_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { unchangedFor_ms } from '../../context.ts';
import { asMembers, attempt, decodeUtf8, isJsonObject, type JsonObject } from '../../core/json.ts';
import { modernRevision } from '../../core/revisions.ts';
import { type CachedCall, type McpMessage, toResponse } from '../../mcp/register.ts';
import type { ChangedHandles } from '../../store/store.ts';
import { countRead } from '../../telemetry/metrics.ts';
import { tools } from '../../tools/index.ts';
import { toOwnNames } from '../../tools/input/fields.ts';
import { headerOf, parseMessage } from '../request.ts';
import type { AnswerCache, HeaderList, ReadyAnswer } from './answer-cache.ts';

interface CacheableResult {
  readonly key: string;
  readonly tool?: string;
  cacheTags(): ChangedHandles;
}

interface CacheableMessage extends CacheableResult {
  readonly id: number | string;
  /** It selects what the SDK adds at the end of a result. */
  readonly client: string;
}

function hasOnly(value: JsonObject, names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false;
  return true;
}

const shortText = /^[\w.:-]{1,40}$/;
const isShort = (id: unknown): id is number | string =>
  typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && shortText.test(id);

/** `modern` is `modernRevision`, `legacy` every earlier one. */
interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: JsonObject;
  readonly era: 'legacy' | 'modern';
}

const reserved = 'io.modelcontextprotocol/';
const longest = 4096;

/** Reserved members of `_meta`; undefined leaves the message to the SDK. */
function readClient({ params: { _meta: meta }, era }: Call): string | undefined {
  if (meta === undefined) return '';
  if (!isJsonObject(meta)) return undefined;
  const client: Record<string, unknown> = {};
  for (const name in meta) {
    const value = meta[name];
    const isFree = !name.startsWith(reserved);
    if (!isFree && era === 'modern') client[name] = value;
    else if (!isFree || (name === 'progressToken' ? !isShort(value) : typeof value === 'object'))
      return undefined;
  }
  return era === 'modern' ? JSON.stringify(client) : '';
}

const cacheableTools = new Map(
  tools
    .filter(({ cacheTags, effects }) => cacheTags && effects.readOnlyHint)
    .map((tool) => [tool.name, tool]),
);
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const constants = { legacy: new Set(lists), modern: new Set([...lists, 'server/discover']) };
const legacyRevisions = new Set<unknown>([null, ...SUPPORTED_PROTOCOL_VERSIONS]);

/** Both eras have the same members, so the key does not name the era. */
function readResult(message: unknown): CacheableResult | undefined {
  const { method, params } = asMembers(message);
  const { name, arguments: input } = asMembers(params);
  const tool = method === 'tools/call' ? cacheableTools.get(name as string) : undefined;
  if (!tool) return undefined;
  const key = `${method} ${tool.name} ${JSON.stringify(input)}`;
  if (key.length > longest) return undefined;
  return {
    key,
    tool: tool.name,
    cacheTags: () => tool.cacheTags?.(toOwnNames(tool, input ?? {}) as Record<string, unknown>) ?? 'all',
  };
}

function readCall(call: Call): CacheableMessage | undefined {
  const { id, params } = call;
  const client = readClient(call);
  const result = readResult(call);
  if (!result || client === undefined || !hasOnly(params, ['name', 'arguments', '_meta'])) return undefined;
  return { ...result, id, client: `call ${client}` };
}

const noTags = (): ChangedHandles => [];

function readInitialize({ id, method, params, era }: Call): CacheableMessage | undefined {
  const { protocolVersion, ...client } = params;
  if (!SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion as string)) return undefined;
  const key = `${era} ${method} ${protocolVersion}`;
  return { id, key, client: `initialize ${JSON.stringify(client)}`, cacheTags: noTags };
}

function readConstant(call: Call): CacheableMessage | undefined {
  const { id, method, params, era } = call;
  const client = readClient(call);
  if (client === undefined || !constants[era].has(method) || !hasOnly(params, ['_meta'])) return undefined;
  return { id, key: `${era} ${method}`, client, cacheTags: noTags };
}

/** The headers that the era requires. False if one needs decoding. */
function isRepeated(headers: Pick<Headers, 'get'>, { method, params, era }: Call): boolean {
  const revision = headers.get('mcp-protocol-version');
  const repeatedMethod = headers.get('mcp-method');
  const repeatedName = headers.get('mcp-name');
  if (era === 'legacy')
    return legacyRevisions.has(revision) && repeatedMethod === null && repeatedName === null;
  const name = method === 'tools/call' ? params.name : null;
  return revision === modernRevision && repeatedMethod === method && repeatedName === name;
}

function readCalled(call: Call): CacheableMessage | undefined {
  if (call.method === 'tools/call') return readCall(call);
  return call.method === 'initialize' && call.era === 'legacy' ? readInitialize(call) : readConstant(call);
}

/** Callers with a capability get a longer list of tools. */
const sendsCapability = (headers: Pick<Headers, 'get'>) =>
  ['authorization', 'x-agent-capability'].some((name) => headers.get(name) !== null);

function readCacheable(message: unknown, headers: Pick<Headers, 'get'>): CacheableMessage | undefined {
  if (!isJsonObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isShort(id) || typeof method !== 'string' || !isJsonObject(params))
    return undefined;
  if (method === 'tools/list' && sendsCapability(headers)) return undefined;
  const isModern = asMembers(params._meta)[PROTOCOL_VERSION_META_KEY] === modernRevision;
  const call: Call = { id, method, params, era: isModern ? 'modern' : 'legacy' };
  if (!isRepeated(headers, call)) return undefined;
  const read = readCalled(call);
  return read && read.key.length + read.client.length <= longest ? read : undefined;
}

const ofEndpoint = { memory: 'answers', path: '/api/mcp' } as const;
const longest_bytes = 4096;

/** These change an answer, or how a body is read. */
const unusual = ['origin', 'content-encoding'] as const;

export const isPlainMessage = ({ method, url, headers, rawHeaders }: IncomingMessage): boolean =>
  method === 'POST' &&
  url === ofEndpoint.path &&
  headerOf(rawHeaders, 'content-type') === 'application/json' &&
  Number(headers['content-length'] ?? Number.NaN) <= longest_bytes &&
  !unusual.some((name) => headers[name] !== undefined);

/** Where the app looks first. Callbacks are faster here than a promise. */
export function readBody(
  incoming: IncomingMessage & { rawBody?: Buffer },
  onRead: (body: Buffer) => void,
  onError: () => void,
): void {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    const [only] = chunks;
    incoming.rawBody = only && chunks.length === 1 ? only : Buffer.concat(chunks);
    onRead(incoming.rawBody);
  });
  incoming.on('error', onError);
}

/** Of some repeated headers, such as Authorization, Node keeps only one. */
const toHeaders = ({ headers }: IncomingMessage): Pick<Headers, 'get'> => ({
  get: (name) => headers[name]?.toString() ?? null,
});

const countedByApp = () => {};

function readMessage(body: Buffer, headers: Pick<Headers, 'get'>): CacheableMessage | undefined {
  const text = decodeUtf8(body);
  return text === undefined
    ? undefined
    : attempt(() => readCacheable(parseMessage(text, headers, countedByApp), headers));
}

/** The SDK has accepted a client with this description. */
const clientKey = ({ client }: CacheableMessage) => `client ${client}`;

export function findMcpAnswer(
  incoming: IncomingMessage,
  body: Buffer,
  now_ms: number,
  cache: AnswerCache,
): ReadyAnswer | undefined {
  const message = readMessage(body, toHeaders(incoming));
  const client = message && cache.get(clientKey(message), now_ms);
  const found = client && cache.get(message.key, now_ms);
  if (!found) return undefined;
  const { id, tool } = message;
  const bytes = toResponse({ members: found.bytes, end: client.bytes }, id);
  return { ...found, ...ofEndpoint, status: 200, tool, bytes };
}

/** To call before the answer to a message is made. */
export function createMcpStore(cache: AnswerCache, headers: HeaderList) {
  return ({ body, headers: sent, context }: McpMessage): CachedCall => {
    const message = readCacheable(body, sent);
    const result = message ?? readResult(body);
    if (!result) return {};
    const found = cache.get(result.key, context.clock().getTime());
    countRead(ofEndpoint.memory, found !== undefined);
    const store = cache.begin();
    return {
      cached: found?.bytes,
      onResult: ({ members, end }) => {
        if (message) store(clientKey(message), { bytes: end, headers }, { cacheTags: [] });
        if (found) return;
        const policy = { cacheTags: result.cacheTags(), maxAge_ms: unchangedFor_ms(context) };
        store(result.key, { bytes: members, headers }, policy);
      },
    };
  };
}
