import { setTimeout } from 'node:timers/promises';
import { asMembers, parseForeignJson } from '../../../core/json.ts';
import { day_ms } from '../../../core/text.ts';
import { code, day, own, say } from '../../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer, noAnswer as none } from '../../../net/answer.ts';
import type { PoliteRequest } from '../hosts/polite.ts';
import { isUnanswered } from '../outcome.ts';
import {
  type AskParts,
  afterInitialize,
  askInitialized,
  askModern,
  type Conversation,
  createConversation,
  type EndpointAnswer,
  isOffered,
  mostRead_bytes,
  type OpenExchange,
  send,
  toIntroduced,
  toNoAnswer,
  toWithheld,
} from './conversation.ts';
import { createEventReader } from './events.ts';
import {
  createReplyWatch,
  initializeMessage,
  isReplyTo,
  modernMessage,
  type Replied,
  type RpcMessage,
  toReplied,
} from './messages.ts';

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
async function askOverStream(url: string, parts: AskParts, first_ms: number) {
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

const asked_again_ms = 7 * day_ms;

/** After a restart of the endpoint, a check would take its only session from its users. */
const whyNoSession = (url: string, refused_at: string | undefined, now: Date): NoAnswer | undefined =>
  refused_at === undefined || now.getTime() - Date.parse(refused_at) >= asked_again_ms
    ? undefined
    : noAnswer(
        'not_asked',
        say`Dossier sent ${code(url)} no \`initialize\`: on ${day(refused_at)} this endpoint had one session for all clients, which a check would take from them.`,
        { cause: 'one_session', one_session_at: refused_at },
      );

/** Servers that know only older revisions refuse an unknown method with these. */
const refusals: ReadonlySet<unknown> = new Set([400, 405, 406, 415, 422]);

const openDiscovery = ({ outcome, status, why }: NoAnswer): { readonly open?: OpenExchange } =>
  outcome !== 'absent' && !refusals.has(status) ? { open: { exchange: 'discover', why } } : {};

const mayBeTemporary = (reply?: Replied) => reply?.is === 'no_answer' && reply.answer.outcome !== 'absent';

const isWithoutList = ({ list, credentials, payment }: EndpointAnswer): boolean =>
  !credentials &&
  !payment &&
  list.result === 'no_answer' &&
  (isUnanswered(list.outcome) || list.outcome === 'absent');

/** A discovery that asked for credentials decides unless `initialize` brings an introduction or a payment. */
async function askOlder(
  talk: Conversation,
  { discovered, modern }: { readonly discovered: Replied; readonly modern: EndpointAnswer | undefined },
  {
    post,
    discover,
  }: { readonly post: (message: RpcMessage) => Promise<unknown>; discover(): Promise<Replied> },
): Promise<EndpointAnswer | NoAnswer> {
  const failure = discovered.is === 'no_answer' ? discovered.answer : (modern?.list as NoAnswer | undefined);
  const taken = whyNoSession(talk.url, talk.one_session_at, talk.now);
  if (taken) return modern ?? taken;
  const initialized = toIntroduced(await send(talk, (id) => initializeMessage(id, talk.client)));
  const older = await afterInitialize(talk, initialized, post);
  if (modern && older?.list.result !== 'listed') return modern;
  if (older && (older.introduction || older.payment || discovered.is !== 'credentials'))
    return { ...older, ...(failure && openDiscovery(failure)) };
  if (discovered.is === 'credentials') {
    const open =
      initialized.is === 'no_answer' && mayBeTemporary(initialized)
        ? { open: { exchange: 'initialize' as const, why: initialized.answer.why } }
        : {};
    return { ...toWithheld(talk, discovered, 'discover'), ...open };
  }
  // If only one message had a response, a second discovery may succeed.
  const again =
    talk.responses === 1 && mayBeTemporary(discovered) ? toIntroduced(await discover()) : undefined;
  if (again?.is === 'result' && isOffered(again.result)) return askModern(talk, again);
  if (again?.is === 'credentials' || again?.is === 'payment') return toWithheld(talk, again, 'discover');
  const none = toNoAnswer([initialized, discovered, ...(again ? [again] : [])]);
  return none.cause === 'one_session' ? { ...none, one_session_at: talk.now.toISOString() } : none;
}

async function askEndpoint(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const post = (message: RpcMessage, more: Partial<PoliteRequest> = {}) =>
    parts.fetch({ url, method: 'POST', ...message, ...more });
  const talk = createConversation(url, 'streamable-http', parts, (message, id, timeout_ms) =>
    post(message, { isComplete: createReplyWatch(id), timeout_ms }),
  );
  const { observerFirstTry_ms, observerSecondTry_ms } = parts.timeouts;
  const discover = async (timeout_ms: number) =>
    toIntroduced(
      await send(talk, (id) => modernMessage(id, 'server/discover', {}, parts.client), timeout_ms),
    );
  const discovered = await discover(observerFirstTry_ms);
  if (discovered.is === 'payment') return toWithheld(talk, discovered, 'discover');
  const modern =
    discovered.is === 'result' && isOffered(discovered.result)
      ? await askModern(talk, discovered)
      : undefined;
  if (modern && (!isWithoutList(modern) || talk.read_bytes > mostRead_bytes)) return modern;
  return askOlder(talk, { discovered, modern }, { post, discover: () => discover(observerSecondTry_ms) });
}

const mayAnswerOtherwise = ({ outcome, cause }: NoAnswer): boolean =>
  outcome !== 'not_asked' && outcome !== 'refused' && cause !== 'certificate';

export async function askStreamableFirst(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const run = await askEndpoint(url, parts);
  if (run.result === 'answered' || !mayAnswerOtherwise(run)) return run;
  // After a success the endpoint uses this transport, even if Dossier cannot read the response.
  if (run.status !== undefined && run.status < 300) return run;
  const older = await askOverStream(url, parts, parts.timeouts.observerFirstTry_ms);
  return older.result === 'answered' && older.introduction ? older : run;
}

export async function askStreamFirst(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const { observerFirstTry_ms, observerSecondTry_ms } = parts.timeouts;
  const run = await askOverStream(url, parts, observerFirstTry_ms);
  if (run.result === 'answered' || !mayAnswerOtherwise(run)) return run;
  const newer = await askEndpoint(url, parts);
  if (newer.result === 'answered') return newer;
  return run.cause === 'timeout' ? askOverStream(url, parts, observerSecondTry_ms) : run;
}
