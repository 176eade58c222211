import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../evidence/text/json-object.ts';
import { modernRevision } from '../../mcp/shared-session.ts';
import type { ChangedHandles } from '../../store/store.ts';
import { tools } from '../../tools/index.ts';

/** A request whose answer depends only on its key and the stored listings. */
export interface CacheableMessage {
  readonly id: number | string;
  readonly key: string;
  /** The tool that it calls, if it calls one. */
  readonly tool?: string;
  /** What the client says about itself: it must be well-formed, and changes nothing in the answer. */
  readonly client: string;
  /** The listings that a good answer contains. */
  cacheTags(): ChangedHandles;
}

type Members = Readonly<Record<string, unknown>>;

function hasOnly(value: Members, names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false;
  return true;
}

const shortText = /^[\w.:-]{1,40}$/;
const isShort = (id: unknown): id is number | string =>
  typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && shortText.test(id);

interface Call {
  readonly id: number | string;
  readonly method: string;
  readonly params: Members;
  readonly era: 'legacy' | 'modern';
}

const reserved = 'io.modelcontextprotocol/';
const longest = 4096;

/**
 * The reserved members of `_meta`, which only the modern era has, as JSON. Undefined if another member is not a short
 * value or there is too much.
 */
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

/** A call of a tool whose answers may be cached. */
function readCall(call: Call): CacheableMessage | undefined {
  const { id, method, params, era } = call;
  const { name, arguments: input } = params;
  const tool = cacheableTools.get(name as string);
  const client = readClient(call);
  if (!tool || client === undefined || !hasOnly(params, ['name', 'arguments', '_meta'])) return undefined;
  return {
    id,
    key: `${era} ${method} ${tool.name} ${JSON.stringify(input)}`,
    tool: tool.name,
    client,
    cacheTags: () => tool.cacheTags?.((input ?? {}) as Record<string, unknown>) ?? 'all',
  };
}

const noTags = (): ChangedHandles => [];

/** `initialize` of a supported revision: only the revision changes the answer. */
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

/** Whether the protocol's headers repeat the message, in the one form that needs no decoding. */
function isRepeated(headers: Pick<Headers, 'get'>, { method, params, era }: Call): boolean {
  const revision = headers.get('mcp-protocol-version');
  const [repeatedMethod, repeatedName] = [headers.get('mcp-method'), headers.get('mcp-name')];
  if (era === 'legacy')
    return legacyRevisions.has(revision) && repeatedMethod === null && repeatedName === null;
  const name = method === 'tools/call' ? params.name : null;
  return revision === modernRevision && repeatedMethod === method && repeatedName === name;
}

function eraOf({ _meta }: Members): Call['era'] {
  return isJsonObject(_meta) && _meta[`${reserved}protocolVersion`] === modernRevision ? 'modern' : 'legacy';
}

function readCalled(call: Call): CacheableMessage | undefined {
  if (call.method === 'tools/call') return readCall(call);
  return call.method === 'initialize' && call.era === 'legacy' ? readInitialize(call) : readConstant(call);
}

/**
 * Reads a message that can be answered from memory: a call of a tool whose answers may be cached, or a request with a
 * constant answer. Undefined for every other message, and for one with any unusual member or header: those are left
 * to the SDK.
 */
export function readCacheable(message: unknown, headers: Pick<Headers, 'get'>): CacheableMessage | undefined {
  if (!isJsonObject(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isShort(id) || typeof method !== 'string' || !isJsonObject(params))
    return undefined;
  const call = { id, method, params, era: eraOf(params) };
  if (!isRepeated(headers, call)) return undefined;
  const read = readCalled(call);
  return read && read.key.length + read.client.length <= longest ? read : undefined;
}
