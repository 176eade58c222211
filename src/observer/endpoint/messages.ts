import { createParser } from 'eventsource-parser';
import {
  type Fetched,
  isAskingForCredentials,
  isAskingInBody,
  meaningOf,
  type NoAnswer,
} from '../../evidence/observation/answer.ts';
import { parseForeignJson } from '../../evidence/text/foreign-json.ts';
import { asMembers, isJsonObject } from '../../evidence/text/json-object.ts';

/** A JSON-RPC message that an endpoint sent; its members are untrusted. */
export type Reply = Readonly<Record<string, unknown>>;

/** What a message led to. What an endpoint sent is only ever in `result` and `response`, so that it cannot be taken for ours. */
export type Replied =
  | { readonly is: 'result'; readonly result: Reply; readonly status: number }
  | { readonly is: 'credentials' | 'payment'; readonly response: Fetched }
  | { readonly is: 'no_answer'; readonly answer: NoAnswer };

/** The messages of a body: one as JSON, alone or in an array, or several as an event stream. */
function toMessages({ text, headers }: Fetched): Reply[] {
  if (!/^text\/event-stream\b/i.test(headers['content-type'] ?? ''))
    return [parseForeignJson(text.replace(/^\ufeff/, ''))].flat().filter(isJsonObject);
  const messages: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => messages.push(parseForeignJson(data)) });
  parser.feed(text);
  return messages.filter(isJsonObject);
}

/** Clients take an id that came back as text for the number that they sent. */
const isReplyTo = (message: Reply, id: number) => message.id === id || message.id === String(id);

const methodNotFound = -32601;

/** What a JSON-RPC error says: only that a method is not there lasts. */
function toErrorAnswer(error: Reply, { url, status }: Fetched): NoAnswer {
  const code = Number.isSafeInteger(error.code) ? String(error.code) : 'without a code';
  const isAbsent = error.code === methodNotFound && status < 500 && status !== 429;
  return {
    result: isAbsent ? 'not_found' : 'unreachable',
    cause: status,
    reason: `${url} answered with HTTP status ${status} and the JSON-RPC error ${code}.`,
  };
}

/** Clients read nothing else than these, whatever is in it. */
const isReadable = ({ headers }: Fetched) =>
  /^(?:application\/json|text\/event-stream)\b/i.test(headers['content-type'] ?? '');

const unread = ({ headers, status }: Fetched): Replied => ({
  is: 'no_answer',
  answer: {
    result: 'unreachable',
    cause: status,
    reason: `The endpoint answered with ${/^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0].slice(0, 60) ?? 'no content type'}, which MCP clients do not read (JSON or an event stream).`,
  },
});

/** What the response to the request with this id is: the message in its body comes before its status. */
export function toReplied(answer: Fetched | NoAnswer, id: number): Replied {
  if (answer.result !== 'response') return { is: 'no_answer', answer };
  // Clients read no message that has both.
  const isReadByClients = (message: Reply) =>
    message.jsonrpc === '2.0' && !('result' in message && 'error' in message);
  const messages = toMessages(answer).filter(isReadByClients);
  const { result } = messages.find((message) => isReplyTo(message, id)) ?? {};
  if (isJsonObject(result))
    return isReadable(answer) ? { is: 'result', result, status: answer.status } : unread(answer);
  const meaning =
    meaningOf(answer) === 'content' && isAskingInBody(answer) ? 'credentials' : meaningOf(answer);
  if (meaning === 'credentials' || meaning === 'payment') return { is: meaning, response: answer };
  const error = messages.map((message) => message.error).find(isJsonObject);
  if (error)
    return isAskingForCredentials(String(asMembers(error).message))
      ? { is: 'credentials', response: answer }
      : { is: 'no_answer', answer: toErrorAnswer(error, answer) };
  const reason = `The endpoint answered with HTTP status ${answer.status} and no MCP message that Dossier understands.`;
  const state = meaning === 'absent' ? 'not_found' : 'unreachable';
  return { is: 'no_answer', answer: { result: state, reason, cause: answer.status } };
}

const newline = 0x0a;
const beginsEventStream = /^(?:event|data|id|retry|:)/;

/** Reads an event stream line by line; returns whether the reply to an id has come. */
function createStreamReader(id: number): (lines: string) => boolean {
  let isFound = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      const message = parseForeignJson(data);
      if (isJsonObject(message) && isReplyTo(message, id)) isFound = true;
    },
  });
  return (lines) => {
    parser.feed(lines);
    return isFound;
  };
}

/**
 * Watches a body piece by piece for the reply to this id: servers may leave an event stream open after it. A body that is
 * no event stream is never complete before its end.
 */
export function createReplyWatch(id: number): (piece: Uint8Array) => boolean {
  const read = createStreamReader(id);
  let pending: Uint8Array[] = [];
  let isStream: boolean | undefined;
  return (piece) => {
    if (isStream === false) return false;
    pending.push(piece);
    if (!piece.includes(newline)) return false;
    // Whole lines only: a line that comes in a million pieces is joined once.
    const text = Buffer.concat(pending);
    const end = text.lastIndexOf(newline) + 1;
    pending = [text.subarray(end)];
    const lines = text.toString('utf8', 0, end);
    isStream ??= beginsEventStream.test(lines.trimStart());
    return isStream && read(lines);
  };
}
