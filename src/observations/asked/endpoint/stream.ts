import { setTimeout } from 'node:timers/promises';
import { asMembers, parseForeignJson } from '../../../core/json.ts';
import { own, say } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer as none } from '../../../net/answer.ts';
import {
  type AskParts,
  askInitialized,
  type Conversation,
  createConversation,
  type EndpointAnswer,
  toWithheld,
} from './conversation.ts';
import { createEventReader } from './events.ts';
import { isReplyTo, type RpcMessage, toReplied } from './messages.ts';

function createStream(url: string) {
  const messagesTo = Promise.withResolvers<URL | undefined>();
  const waiting = new Map<number, (text: string) => void>();
  const reply = (text: string) => {
    const message = asMembers(parseForeignJson(text));
    for (const [id, resolve] of waiting) if (isReplyTo(message, id)) resolve(text);
  };
  const read = createEventReader(({ event, data }) => {
    const to = event === 'endpoint' ? URL.parse(data, url) : null;
    // Messages are sent only to the recorded origin.
    if (event === 'endpoint') messagesTo.resolve(to?.origin === new URL(url).origin ? to : undefined);
    else reply(data);
  });
  const decoder = new TextDecoder();
  return {
    messagesTo: messagesTo.promise,
    read: (piece: Uint8Array) => {
      read(decoder.decode(piece, { stream: true }));
      return false;
    },
    reply: (id: number) => new Promise<string>((resolve) => waiting.set(id, resolve)),
  };
}

const streamEnded = none('silent', own('The event stream ended before the reply came.'));

const withoutAddress = none(
  'otherwise',
  own('The endpoint sent an event stream that names no address for messages at the origin of the endpoint.'),
  { status: 200 },
);

/** A server of the newer transport may keep a stream open without an event. */
async function addressTimeout(first_ms: number, signal: AbortSignal): Promise<NoAnswer> {
  await setTimeout(first_ms, undefined, { signal });
  const why = say`Within ${first_ms / 1000} seconds, the endpoint opened no event stream that names an address for messages.`;
  return none('silent', why, { cause: 'timeout' });
}

/** HTTP with SSE (2024-11-05). */
export async function askOverStream(
  url: string,
  parts: AskParts,
  first_ms: number,
): Promise<EndpointAnswer | NoAnswer> {
  const end = new AbortController();
  const stream = createStream(url);
  const { signal } = end;
  const opened = parts.fetch({
    url,
    headers: { accept: 'text/event-stream' },
    isComplete: stream.read,
    signal,
    timeout_ms: 2 * parts.timeouts.observerSecondTry_ms,
  });
  const post = async (to: URL, message: RpcMessage) =>
    parts.fetch({ url: to.href, method: 'POST', ...message, beside: true, signal });
  let conversation: Conversation | undefined;
  const talk = async (to: URL) => {
    conversation = createConversation(url, 'sse', parts, async (message, id) => {
      const replied = stream.reply(id);
      const posted = await post(to, message);
      if (posted.result !== 'response' || posted.status >= 300) return posted;
      const headers = { 'content-type': 'application/json' };
      const text = await Promise.race([replied, opened.then(() => undefined)]);
      if (text === undefined) return streamEnded;
      return { ...posted, status: 200, headers, text } satisfies Fetched;
    });
    return askInitialized(conversation, (message) => post(to, message));
  };
  const waiting = new AbortController();
  const asked = stream.messagesTo.then((to) => {
    waiting.abort();
    return to ? talk(to) : withoutAddress;
  });
  const late = addressTimeout(first_ms, waiting.signal).catch(() => asked);
  // If the response is no stream, or the stream breaks, `opened` ends first and says why.
  const ended = opened.then((answer) => {
    // Listed tools count even if the stream breaks during a later list.
    if (conversation?.hasTools) return asked;
    const reply = toReplied(answer, 0);
    if (reply.is === 'no_answer') return reply.answer;
    return reply.is === 'result'
      ? withoutAddress
      : toWithheld({ url, transport: 'sse' }, reply, 'initialize');
  });
  try {
    return await Promise.race([asked, ended, late]);
  } finally {
    waiting.abort();
    end.abort();
  }
}
