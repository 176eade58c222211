import {
  type ForeignJson,
  isJsonObject,
  type JsonObject,
  parseForeignJson,
  readForeignJson,
} from '../../../core/json.ts';
import { legacyRevisions, modernRevision } from '../../../core/revisions.ts';
import { code, own, say, type Words } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer as none, refusedJson, returned } from '../../../net/answer.ts';
import { meaningOf, withoutContent } from '../../../net/meaning.ts';
import { createEventReader } from './events.ts';

/** `answer` has Dossier's words; `result` and `response` are untrusted. */
export type Replied =
  | { readonly is: 'result'; readonly result: JsonObject; readonly status: number }
  | { readonly is: 'credentials' | 'payment'; readonly response: Fetched; readonly again?: Replied }
  | { readonly is: 'no_answer'; readonly answer: NoAnswer };

function readAll({ text, headers }: Fetched): ForeignJson[] {
  if (!/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
    return [readForeignJson(text.replace(/^\ufeff/, ''))];
  const read: ForeignJson[] = [];
  createEventReader(({ data }) => read.push(readForeignJson(data)))(text);
  return read;
}

/** A request of the server may have the same id. Clients accept the id as text. */
export const isReplyTo = (message: JsonObject, id: number): boolean =>
  (message.id === id || message.id === String(id)) && !('method' in message);

export const noAnswer = (...answer: Parameters<typeof none>) => ({
  is: 'no_answer' as const,
  answer: none(...answer),
});

const theEndpoint = own('The endpoint');

const oneSession = say`${theEndpoint} refused \`initialize\`, because it is initialized already: it has one session for all clients, which an earlier check of Dossier may have taken.`;

const errorWords = ({ code: number }: JsonObject, { status }: Fetched): Words => {
  const named = Number.isSafeInteger(number)
    ? say`the JSON-RPC error ${code(String(number))}`
    : own('a JSON-RPC error without a code');
  return say`${theEndpoint} returned HTTP ${status} and ${named}.`;
};

/** MCP clients read only these media types. */
const isReadable = ({ headers }: Fetched) =>
  /^(?:application\/json|text\/event-stream)\b/i.test(headers['content-type'] ?? '');

const withoutVersion = say`The endpoint returned a message without ${code('jsonrpc')} "2.0", which MCP clients do not read.`;

const otherThanMcp = (answer: Fetched) => ({
  is: 'no_answer' as const,
  answer: returned(theEndpoint, answer, own('MCP')),
});

export function toReplied(answer: Fetched | NoAnswer, id: number): Replied {
  if (answer.result !== 'response') return { is: 'no_answer', answer };
  // Clients read no message that has both a result and an error.
  const isReadByClients = (message: JsonObject) =>
    message.jsonrpc === '2.0' && !('result' in message && 'error' in message);
  const read = readAll(answer);
  const values = read.flatMap(({ value }) => value).filter(isJsonObject);
  const messages = values.filter(isReadByClients);
  const { result } = messages.find((message) => isReplyTo(message, id)) ?? {};
  // Clients read a result only if the status is 2xx.
  if (isJsonObject(result) && meaningOf(answer) === 'content')
    return isReadable(answer) ? { is: 'result', result, status: answer.status } : otherThanMcp(answer);
  const error = messages.map((message) => message.error).find(isJsonObject);
  const meaning = meaningOf(answer, error);
  const { status } = answer;
  if (meaning === 'credentials' || meaning === 'payment') return { is: meaning, response: answer };
  // Such a server refuses every new session until it is restarted.
  if (meaning === 'one_session') return noAnswer('not_asked', oneSession, { status, cause: 'one_session' });
  if (error && meaning === 'absent')
    return noAnswer('absent', errorWords(error, answer), { status, cause: 'no_method' });
  if (error) return noAnswer(withoutContent(meaning), errorWords(error, answer), { status });
  const refused = read.find((one) => one.refused !== undefined)?.refused;
  if (refused !== undefined) return noAnswer('otherwise', refusedJson(theEndpoint, refused), { status });
  if (values.some((value) => isReplyTo(value, id) && value.jsonrpc !== '2.0'))
    return noAnswer('otherwise', withoutVersion, { status });
  return meaning === 'absent'
    ? noAnswer('absent', say`The endpoint returned HTTP ${status}.`, { status })
    : otherThanMcp(answer);
}

/** Servers may keep an event stream open after the reply. */
export function createReplyWatch(id: number): (piece: Uint8Array) => boolean {
  let isFound = false;
  const decoder = new TextDecoder();
  const read = createEventReader(({ data }) => {
    const message = parseForeignJson(data);
    if (isJsonObject(message) && isReplyTo(message, id)) isFound = true;
  });
  return (piece) => {
    read(decoder.decode(piece, { stream: true }));
    return isFound;
  };
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export interface RpcMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type ClientInfo = Readonly<Record<'name' | 'version', string>>;

const toBody = (message: object) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));

export const modernMessage = (
  id: number,
  method: string,
  params: object,
  client: ClientInfo,
): RpcMessage => ({
  headers: { ...json, 'mcp-protocol-version': modernRevision, 'mcp-method': method },
  body: toBody({
    id,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernRevision,
        'io.modelcontextprotocol/clientInfo': client,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
});

export const initializeMessage = (id: number, client: ClientInfo): RpcMessage => ({
  headers: json,
  body: toBody({
    id,
    method: 'initialize',
    params: { protocolVersion: legacyRevisions[0], capabilities: {}, clientInfo: client },
  }),
});

export const legacyMessage = (
  { revision, id }: { readonly revision: string; readonly id: string | undefined },
  message: { readonly id?: number; readonly method: string; readonly params?: object },
): RpcMessage => ({
  headers: { ...json, 'mcp-protocol-version': revision, ...(id !== undefined && { 'mcp-session-id': id }) },
  body: toBody(message),
});
