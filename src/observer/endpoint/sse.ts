import { createParser } from 'eventsource-parser';
import type { Fetched, NoAnswer } from '../../evidence/observation/answer.ts';
import type { EndpointLook } from '../../evidence/observation/endpoint-look.ts';
import { parseForeignJson } from '../../evidence/text/foreign-json.ts';
import { asMembers } from '../../evidence/text/json-object.ts';
import { type AskParts, askInitialized, createConversation, toWithheld } from './ask.ts';
import type { Message } from './eras.ts';
import { toReplied } from './messages.ts';

/** The events of a stream: where it says that messages go to, and replies by their id. */
function createStream(url: string) {
  const messagesTo = Promise.withResolvers<URL | undefined>();
  const waiting = new Map<number, (text: string) => void>();
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const to = event === 'endpoint' ? URL.parse(data, url) : null;
      // Messages go nowhere else than to the origin that was recorded.
      if (event === 'endpoint') messagesTo.resolve(to?.origin === new URL(url).origin ? to : undefined);
      else waiting.get(Number(asMembers(parseForeignJson(data)).id))?.(data);
    },
  });
  const decoder = new TextDecoder();
  return {
    messagesTo: messagesTo.promise,
    read: (piece: Uint8Array) => {
      parser.feed(decoder.decode(piece, { stream: true }));
      return false;
    },
    reply: (id: number) => new Promise<string>((resolve) => waiting.set(id, resolve)),
  };
}

const wordless: NoAnswer = {
  result: 'unreachable',
  cause: 200,
  reason: 'The endpoint sent an event stream that names no address of its own for messages.',
};

/**
 * Asks an endpoint of the older transport, HTTP with SSE (2024-11-05): a GET opens a stream, whose first event says where messages go;
 * their replies come in the stream. Never throws.
 */
export async function askOverStream(url: string, parts: AskParts): Promise<EndpointLook | NoAnswer> {
  const end = new AbortController();
  const stream = createStream(url);
  const { signal } = end;
  const opened = parts.fetch({
    ...{ url, headers: { accept: 'text/event-stream' }, isComplete: stream.read, signal },
    timeout_ms: 2 * parts.timeouts.observerSecondTry_ms,
  });
  const post = async (to: URL, message: Message) =>
    parts.fetch({ url: to.href, method: 'POST', ...message, beside: true, signal });
  const talk = async (to: URL) => {
    const conversation = createConversation(url, parts, async (message, id) => {
      const replied = stream.reply(id);
      const posted = await post(to, message);
      if (posted.result !== 'response' || posted.status >= 300) return posted;
      const headers = { 'content-type': 'application/json' };
      return { ...posted, status: 200, headers, text: await replied } satisfies Fetched;
    });
    return askInitialized(conversation, (message) => post(to, message));
  };
  const asked = stream.messagesTo.then((to) => (to ? talk(to) : wordless));
  // The stream ends first where it is none, or breaks: what it answered says why.
  const ended = opened.then((answer) => {
    const reply = toReplied(answer, 0);
    if (reply.is === 'no_answer') return reply.answer;
    return reply.is === 'result' ? wordless : toWithheld(url, reply);
  });
  const look = await Promise.race([asked, ended]);
  end.abort();
  return look;
}
