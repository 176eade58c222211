import { createParser } from 'eventsource-parser';
import type { NoAnswer } from '../../evidence/observation/answer.ts';
import { parseForeignJson } from '../../evidence/text/foreign-json.ts';
import { isJsonObject } from '../../evidence/text/json-object.ts';

/** A JSON-RPC message that an endpoint sent; its members are untrusted. */
export type Reply = Readonly<Record<string, unknown>>;

/** What a message led to. What an endpoint sent is only ever in `result`, so that it cannot be taken for a word of ours. */
export type Replied =
  | { readonly is: 'result'; readonly result: Reply }
  | { readonly is: 'no_result' }
  | { readonly is: 'no_answer'; readonly answer: NoAnswer };

/** The messages of a body: one as JSON, or several as an event stream. */
function toMessages(text: string, contentType: string): Reply[] {
  if (!/^text\/event-stream\b/i.test(contentType)) return [parseForeignJson(text)].filter(isJsonObject);
  const messages: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => messages.push(parseForeignJson(data)) });
  parser.feed(text);
  return messages.filter(isJsonObject);
}

/** The result of the request with this id in a body; undefined if it holds none, or an error. */
export function resultOf(text: string, contentType: string, id: number): Reply | undefined {
  const reply = toMessages(text, contentType).find((message) => message.id === id);
  const result = reply?.result;
  return isJsonObject(result) ? result : undefined;
}

const newline = 0x0a;
const beginsEventStream = /^(?:event|data|id|retry|:)/;

/** Reads an event stream line by line; returns whether the reply to an id has come. */
function createStreamReader(id: number): (lines: string) => boolean {
  let isFound = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      const message = parseForeignJson(data);
      if (isJsonObject(message) && message.id === id) isFound = true;
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
