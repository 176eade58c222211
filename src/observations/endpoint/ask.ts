import type { Timeouts } from '../../config/timeouts.ts';
import { asMembers, asObject, countValues, type JsonObject, parseForeignJson } from '../../core/json.ts';
import { own, type Words } from '../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer as none } from '../../net/answer.ts';
import type { PoliteFetch, PoliteRequest } from '../hosts/polite.ts';
import { isUnanswered } from '../outcome.ts';
import { createEventReader } from './events.ts';
import {
  type ClientInfo,
  createReplyWatch,
  initializeMessage,
  type ListRoom,
  legacyMessage,
  listTools,
  type Message,
  modernMessage,
  modernRevision,
  noAnswer,
  type Replied,
  type ToolList,
  toReplied,
} from './messages.ts';

/** The two messages that an endpoint is asked to introduce itself with: server/discover and initialize. */
export type Exchange = 'discover' | 'initialize';

/** An exchange that would have decided what an endpoint is, and had no lasting answer: why. */
export interface OpenExchange {
  readonly exchange: Exchange;
  readonly why: Words;
}

/**
 * What an MCP endpoint sent when it was asked what it is and which tools it has. At least one of `introduction`, `credentials` and
 * `payment` is there: an endpoint that sent none of them gave no answer.
 */
export interface EndpointAnswer {
  readonly result: 'answered';
  readonly url: string;
  /** The exchange that decided what is said here. */
  readonly by: Exchange;
  /** The other exchange, if it may decide otherwise the next time. */
  readonly open?: OpenExchange;
  /** `isSpoken`: whether a message in its revision was answered. */
  readonly introduction?: ReturnType<typeof toIntroduction> & { readonly isSpoken: boolean };
  /** The list of tools, or why there is none. */
  readonly list: ToolList | NoAnswer;
  /** The first response that asked for credentials. */
  readonly credentials?: Fetched;
  /** The first response that asked for a payment. */
  readonly payment?: Fetched;
}

/** No more messages are sent once an endpoint has sent this much: twice the largest list of tools. */
const mostRead_bytes = 4 * 1024 * 1024;

interface AskParts {
  readonly fetch: PoliteFetch;
  readonly client: ClientInfo;
  readonly timeouts: Pick<Timeouts, 'observerFirstTry_ms' | 'observerSecondTry_ms'>;
  readonly room: ListRoom;
}

type Conversation = ReturnType<typeof createConversation>;

/**
 * Begins a conversation with an endpoint: its address, and what it has sent so far. `exchange` sends a message with an id, and returns
 * the response with its reply. Nothing is sent.
 */
const createConversation = (
  url: string,
  parts: AskParts,
  exchange: (message: Message, id: number, timeout_ms: number) => Promise<Fetched | NoAnswer>,
) => ({
  ...{ url, ...parts, exchange },
  ...{ lastId: 0, read_bytes: 0, responses: 0 },
  /** Of the newest response. */
  sessionId: undefined as string | undefined,
});

async function send(
  talk: Conversation,
  message: (id: number) => Message,
  timeout_ms = talk.timeouts.observerSecondTry_ms,
): Promise<Replied> {
  talk.lastId += 1;
  const id = talk.lastId;
  const answer = await talk.exchange(message(id), id, timeout_ms);
  if (answer.result === 'response') {
    talk.responses += 1;
    talk.read_bytes += answer.text.length;
    talk.sessionId = answer.headers['mcp-session-id'];
  }
  return toReplied(answer, id);
}

/**
 * How an endpoint introduced itself, in a response with this status: in the `modern` era with server/discover, in the `legacy` one
 * with initialize. `protocol` is the revision that was spoken.
 */
function toIntroduction(
  result: JsonObject,
  more: { readonly status: number; readonly protocol: string; readonly era: 'modern' | 'legacy' },
) {
  return {
    ...more,
    capabilities: asObject(result.capabilities),
    // 2026-07-28 has it in `_meta`.
    serverInfo:
      asObject(asObject(result._meta)?.['io.modelcontextprotocol/serverInfo']) ?? asObject(result.serverInfo),
    instructions: typeof result.instructions === 'string' ? result.instructions : undefined,
  };
}

const withheld = {
  credentials: none(
    'asks',
    own('The endpoint asks for credentials before it shows anything; Dossier sends none.'),
    { asks_for: 'credentials' },
  ),
  payment: none(
    'asks',
    own('The endpoint asks for a payment (HTTP 402) before it shows anything; Dossier never pays.'),
    { asks_for: 'payment' },
  ),
} as const;

const toWithheld = (
  url: string,
  { is, response }: Extract<Replied, { readonly response: Fetched }>,
  by: Exchange,
): EndpointAnswer => ({
  result: 'answered',
  url,
  by,
  list: withheld[is],
  ...(is === 'credentials' ? { credentials: response } : { payment: response }),
});

/** Asks for the pages of the list of tools until the endpoint has sent enough. */
async function withTools(
  talk: Conversation,
  introduced: ReturnType<typeof toIntroduction>,
  message: (id: number, params: object) => Message,
): Promise<EndpointAnswer> {
  const by = introduced.era === 'modern' ? 'discover' : 'initialize';
  // A discovery is a message in the revision that it offers; initialize only agrees on one.
  let isSpoken = by === 'discover';
  const list = await listTools(async (params) => {
    if (talk.read_bytes > mostRead_bytes) return 'enough';
    const reply = await send(talk, (id) => message(id, params));
    isSpoken ||= reply.is !== 'no_answer' || reply.answer.outcome === 'absent';
    return reply;
  }, talk.room);
  const { url } = talk;
  const introduction = { ...introduced, isSpoken };
  if (!('is' in list)) return { result: 'answered', url, by, introduction, list };
  if (list.is !== 'no_answer') return { ...toWithheld(url, list, by), introduction };
  return { result: 'answered', url, by, introduction, list: list.answer };
}

async function askModern(talk: Conversation, { result, status }: Extract<Replied, { is: 'result' }>) {
  const introduction = toIntroduction(result, { status, protocol: modernRevision, era: 'modern' });
  return withTools(talk, introduction, (id, params) => modernMessage(id, 'tools/list', params, talk.client));
}

async function endSession(talk: Conversation, session: Parameters<typeof legacyMessage>[0]): Promise<void> {
  if (session.id === undefined) return;
  const { headers } = legacyMessage(session, { method: '' });
  await talk.fetch({ url: talk.url, method: 'DELETE', headers });
}

async function askLegacy(
  talk: Conversation,
  { result, status }: Extract<Replied, { is: 'result' }>,
  notify: (message: Message) => Promise<unknown>,
) {
  const revision = String(result.protocolVersion);
  const session = { revision, id: talk.sessionId };
  await notify(legacyMessage(session, { method: 'notifications/initialized' }));
  const introduction = toIntroduction(result, { status, protocol: revision, era: 'legacy' });
  const run = await withTools(talk, introduction, (id, params) =>
    legacyMessage(session, { id, method: 'tools/list', params }),
  );
  await endSession(talk, session);
  return run;
}

const mostIntroduced = 10_000;

/** Refuses an introduction of more than 10,000 values, since it is kept until the check ends. */
const toIntroduced = (reply: Replied): Replied =>
  reply.is === 'result' && countValues(JSON.stringify(reply.result)) > mostIntroduced
    ? noAnswer(
        'otherwise',
        own(
          'The endpoint introduced itself with more than 10,000 values of JSON, which Dossier does not read.',
        ),
        reply.status,
      )
    : reply;

/** Whether a discovery offers the revision that it was sent in; some servers answer it although they speak only older ones. */
const isOffered = ({ supportedVersions }: JsonObject) =>
  Array.isArray(supportedVersions) && supportedVersions.includes(modernRevision);
/** Each later message repeats the revision, which is a date, in a header. */
const isSession = ({ protocolVersion }: JsonObject) =>
  typeof protocolVersion === 'string' && /^\d{4}-\d\d-\d\d$/.test(protocolVersion);

const notSpoken = none(
  'otherwise',
  own('The endpoint returned no introduction in a revision of MCP that Dossier speaks.'),
  { status: 200 },
);

/** How a server of the older era refuses a method that it does not know; other failures of a discovery may pass. */
const refusals: ReadonlySet<unknown> = new Set([400, 405, 406, 415, 422]);

/** The discovery as an exchange that may decide otherwise the next time, if it failed so. */
const openDiscovery = ({ outcome, status, why }: NoAnswer): { readonly open?: OpenExchange } =>
  outcome !== 'absent' && !refusals.has(status) ? { open: { exchange: 'discover', why } } : {};

const mayPass = (reply?: Replied) => reply?.is === 'no_answer' && reply.answer.outcome !== 'absent';

/**
 * Why there is no answer to these messages, the one that most clients send first. Temporary reasons come first, because they
 * leave open what else there is. An endpoint that sent a result to any message exists, whatever it said about the others.
 */
function toNoAnswer(replies: readonly Replied[]): NoAnswer {
  const answers = replies.flatMap((reply) => (reply.is === 'no_answer' ? [reply.answer] : []));
  const isThere = replies.some(({ is }) => is === 'result');
  const passing = answers.filter(({ outcome }) => outcome !== 'absent');
  return (
    passing.find(({ status, cause }) => status !== undefined || cause !== undefined) ??
    passing[0] ??
    (isThere ? undefined : answers[0]) ??
    notSpoken
  );
}

/** What the reply to initialize leads to; undefined if it neither introduces the endpoint nor asks for anything. */
async function afterInitialize(
  talk: Conversation,
  reply: Replied,
  notify: (message: Message) => Promise<unknown>,
): Promise<EndpointAnswer | undefined> {
  if (reply.is === 'result') return isSession(reply.result) ? askLegacy(talk, reply, notify) : undefined;
  return reply.is === 'no_answer' ? undefined : toWithheld(talk.url, reply, 'initialize');
}

/** Asks with initialize and tools/list only; `notify` sends a message that has no reply. */
async function askInitialized(
  talk: Conversation,
  notify: (message: Message) => Promise<unknown>,
): Promise<EndpointAnswer | NoAnswer> {
  const reply = toIntroduced(await send(talk, (id) => initializeMessage(id, talk.client)));
  return (await afterInitialize(talk, reply, notify)) ?? toNoAnswer([reply]);
}

/** Whether a list of tools is none although the endpoint asked for nothing first: the other era may have it. */
const isWithoutList = ({ list, credentials, payment }: EndpointAnswer): boolean =>
  !credentials &&
  !payment &&
  list.result === 'no_answer' &&
  (isUnanswered(list.outcome) || list.outcome === 'absent');

/**
 * Asks in the older era, after a discovery that led to no list of tools. What a discovery withheld counts only where initialize
 * says nothing else: it may be asked for in the newer era alone.
 */
async function askOlder(
  talk: Conversation,
  { discovered, modern }: { readonly discovered: Replied; readonly modern: EndpointAnswer | undefined },
  { post, discover }: { readonly post: (message: Message) => Promise<unknown>; discover(): Promise<Replied> },
): Promise<EndpointAnswer | NoAnswer> {
  const failure = discovered.is === 'no_answer' ? discovered.answer : (modern?.list as NoAnswer | undefined);
  const initialized = toIntroduced(await send(talk, (id) => initializeMessage(id, talk.client)));
  const older = await afterInitialize(talk, initialized, post);
  if (modern && older?.list.result !== 'tools') return modern;
  if (older && (older.introduction || older.payment || discovered.is !== 'credentials'))
    return { ...older, ...(failure && openDiscovery(failure)) };
  if (discovered.is === 'credentials') {
    const open =
      initialized.is === 'no_answer' && mayPass(initialized)
        ? { open: { exchange: 'initialize' as const, why: initialized.answer.why } }
        : {};
    return { ...toWithheld(talk.url, discovered, 'discover'), ...open };
  }
  // Only the discovery broke: a server of the newer era answers the second one.
  const again = talk.responses === 1 && mayPass(discovered) ? toIntroduced(await discover()) : undefined;
  if (again?.is === 'result' && isOffered(again.result)) return askModern(talk, again);
  if (again?.is === 'credentials' || again?.is === 'payment') return toWithheld(talk.url, again, 'discover');
  return toNoAnswer([initialized, discovered, ...(again ? [again] : [])]);
}

/**
 * Asks an endpoint to introduce itself and list its tools, as clients do: server/discover and, if that offers 2026-07-28,
 * tools/list in that revision; otherwise, or if that led to no list, initialize and tools/list of the older era. It tries for 6 and
 * then for 15 seconds, and never sends a tools/call, a payment or a credential. An endpoint that neither introduces itself nor asks
 * for credentials or a payment counts as no answer.
 */
export async function askEndpoint(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const post = (message: Message, more: Partial<PoliteRequest> = {}) =>
    parts.fetch({ url, method: 'POST', ...message, ...more });
  const talk = createConversation(url, parts, (message, id, timeout_ms) =>
    post(message, { isComplete: createReplyWatch(id), timeout_ms }),
  );
  const { observerFirstTry_ms, observerSecondTry_ms } = parts.timeouts;
  const discover = async (timeout_ms: number) =>
    toIntroduced(
      await send(talk, (id) => modernMessage(id, 'server/discover', {}, parts.client), timeout_ms),
    );
  const discovered = await discover(observerFirstTry_ms);
  if (discovered.is === 'payment') return toWithheld(url, discovered, 'discover');
  const modern =
    discovered.is === 'result' && isOffered(discovered.result)
      ? await askModern(talk, discovered)
      : undefined;
  if (modern && (!isWithoutList(modern) || talk.read_bytes > mostRead_bytes)) return modern;
  return askOlder(talk, { discovered, modern }, { post, discover: () => discover(observerSecondTry_ms) });
}

/** The events of a stream: where it says that messages go to, and replies by their id. */
function createStream(url: string) {
  const messagesTo = Promise.withResolvers<URL | undefined>();
  const waiting = new Map<number, (text: string) => void>();
  const reply = (id: unknown, text: string) => {
    if (typeof id === 'number' || typeof id === 'string') waiting.get(Number(id))?.(text);
  };
  const read = createEventReader(({ event, data }) => {
    const to = event === 'endpoint' ? URL.parse(data, url) : null;
    // Messages are sent only to the recorded origin.
    if (event === 'endpoint') messagesTo.resolve(to?.origin === new URL(url).origin ? to : undefined);
    else reply(asMembers(parseForeignJson(data)).id, data);
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

const wordless = none(
  'otherwise',
  own('The endpoint sent an event stream that names no address of its own for messages.'),
  { status: 200 },
);

/**
 * Asks an endpoint of the older transport, HTTP with SSE (2024-11-05): a GET opens a stream, whose first event says where messages go;
 * their replies come in the stream. Never throws.
 */
export async function askOverStream(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
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
    return reply.is === 'result' ? wordless : toWithheld(url, reply, 'initialize');
  });
  try {
    return await Promise.race([asked, ended]);
  } finally {
    end.abort();
  }
}
