import { createParser } from 'eventsource-parser';

/** A JSON-RPC message that an endpoint sent; its members are untrusted. */
export type Reply = Readonly<Record<string, unknown>>;

const isReply = (value: unknown): value is Reply =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The messages of a body: one as JSON, or several as an event stream. */
function toMessages(text: string, contentType: string): Reply[] {
  if (!/^text\/event-stream\b/i.test(contentType)) return [parse(text)].filter(isReply);
  const messages: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => messages.push(parse(data)) });
  parser.feed(text);
  return messages.filter(isReply);
}

/** The result of the request with this id in a body; undefined if it holds none, or an error. */
export function resultOf(text: string, contentType: string, id: number): Reply | undefined {
  const reply = toMessages(text, contentType).find((message) => message.id === id);
  const result = reply?.result;
  return isReply(result) ? result : undefined;
}

/** Whether a body already holds the reply to this id: servers may leave an event stream open after it. */
export const hasReply = (read: Buffer, id: number): boolean =>
  /^(?:event|data|id|retry|:)/m.test(read.toString('utf8', 0, 64)) &&
  toMessages(read.toString('utf8'), 'text/event-stream').some((message) => message.id === id);
