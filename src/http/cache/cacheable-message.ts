import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { modernRevision } from '../../mcp/shared-session.ts';
import type { ChangedHandles } from '../../store/store.ts';
import { tools } from '../../tools/index.ts';

/** A request whose answer follows from its key and from stored listings. */
export interface PlainMessage {
  readonly id: number | string;
  readonly key: string;
  /** The tool that it calls, where it calls one. */
  readonly tool?: string;
  /** What the client says of itself: it has to be well-formed and changes nothing in the answer. */
  readonly client: string;
  /** The listings that a good answer is made of. */
  cacheTags(): ChangedHandles;
}

type Members = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function hasOnly(value: Members, names: readonly string[]): boolean {
  for (const name in value) if (!names.includes(name)) return false;
  return true;
}

const shortText = /^[\w.:-]{1,40}$/;
const isShort = (id: unknown): id is number | string =>
  typeof id === 'number' ? Number.isSafeInteger(id) : typeof id === 'string' && shortText.test(id);

interface Sent {
  readonly id: number | string;
  readonly method: string;
  readonly params: Members;
  readonly era: 'legacy' | 'modern';
}

const reserved = 'io.modelcontextprotocol/';

/** The reserved members of `_meta`, which only the modern era has; undefined where a free one is not a short value. */
function readClient({ params: { _meta: meta }, era }: Sent): string | undefined {
  if (meta === undefined) return '';
  if (!isRecord(meta)) return undefined;
  const said: Record<string, unknown> = {};
  for (const name in meta) {
    const value = meta[name];
    const isFree = !name.startsWith(reserved);
    if (!isFree && era === 'modern') said[name] = value;
    else if (!isFree || (name === 'progressToken' ? !isShort(value) : typeof value === 'object'))
      return undefined;
  }
  return era === 'modern' ? JSON.stringify(said) : '';
}

const hotTools = new Map(
  tools
    .filter(({ cacheTags, effects }) => cacheTags && effects.readOnlyHint)
    .map((tool) => [tool.name, tool]),
);
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const constants = { legacy: new Set(lists), modern: new Set([...lists, 'server/discover']) };
const legacyRevisions = new Set<unknown>([null, ...SUPPORTED_PROTOCOL_VERSIONS]);

/** A call of a tool whose answers may be kept. */
function readCall(sent: Sent): PlainMessage | undefined {
  const { id, method, params, era } = sent;
  const { name, arguments: input } = params;
  const tool = hotTools.get(name as string);
  const client = readClient(sent);
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

/** `initialize` of a revision that is served: only that changes the answer. */
function readInitialize({ id, method, params, era }: Sent): PlainMessage | undefined {
  const { protocolVersion, ...client } = params;
  if (!SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion as string)) return undefined;
  const key = `${era} ${method} ${protocolVersion}`;
  return { id, key, client: `initialize ${JSON.stringify(client)}`, cacheTags: noTags };
}

function readConstant(sent: Sent): PlainMessage | undefined {
  const { id, method, params, era } = sent;
  const client = readClient(sent);
  if (client === undefined || !constants[era].has(method) || !hasOnly(params, ['_meta'])) return undefined;
  return { id, key: `${era} ${method}`, client, cacheTags: noTags };
}

/** Whether the protocol's headers say what the message says, in the one form that needs no decoding. */
function isRepeated(headers: Headers, { method, params, era }: Sent): boolean {
  const revision = headers.get('mcp-protocol-version');
  const [repeatedMethod, repeatedName] = [headers.get('mcp-method'), headers.get('mcp-name')];
  if (era === 'legacy')
    return legacyRevisions.has(revision) && repeatedMethod === null && repeatedName === null;
  const name = method === 'tools/call' ? params.name : null;
  return revision === modernRevision && repeatedMethod === method && repeatedName === name;
}

function eraOf({ _meta }: Members): Sent['era'] {
  return isRecord(_meta) && _meta[`${reserved}protocolVersion`] === modernRevision ? 'modern' : 'legacy';
}

/**
 * Reads a message of the plain form: a call of a tool whose answers may be kept, or a request with a constant answer.
 * Undefined for every other one, and wherever its form leaves anything to judge: those are for the SDK.
 */
export function readPlain(message: unknown, headers: Headers): PlainMessage | undefined {
  if (!isRecord(message) || !hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0' || !isShort(id) || typeof method !== 'string' || !isRecord(params)) return undefined;
  const sent = { id, method, params, era: eraOf(params) };
  if (!isRepeated(headers, sent)) return undefined;
  if (method === 'tools/call') return readCall(sent);
  return method === 'initialize' && sent.era === 'legacy' ? readInitialize(sent) : readConstant(sent);
}
