import type { Timeouts } from '../../config/timeouts.ts';
import { asObject, countValues, type JsonObject } from '../../core/json.ts';
import { legacyRevisions, modernRevision } from '../../core/revisions.ts';
import { own, say, type Words } from '../../core/words.ts';
import { type Fetched, type NoAnswer, noAnswer as none } from '../../net/answer.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
import { createPagesLeft, type ListedMembers, type ListRoom, listSurface } from './list.ts';
import {
  type ClientInfo,
  initializeMessage,
  legacyMessage,
  modernMessage,
  noAnswer,
  type Replied,
  type RpcMessage,
  toReplied,
} from './messages.ts';
import type { OneSession } from './one-session.ts';
import { type BesideName, besideTools, type Surface, surfaces } from './surface.ts';

/** A transport as records name it: streamable HTTP, or HTTP with SSE (2024-11-05). */
export type Transport = 'streamable-http' | 'sse';

/** The messages that ask an endpoint to introduce itself: server/discover and initialize. */
export type OpeningMessage = 'discover' | 'initialize';

/** An exchange that would have decided a fact, but had no lasting answer, with the reason. */
export interface OpenExchange {
  readonly exchange: OpeningMessage;
  readonly why: Words;
}

/** The lists other than that of tools; a list that is not declared is absent. */
export type Besides = { readonly [Name in BesideName]?: ListedMembers | NoAnswer };

/**
 * The answer of an MCP endpoint that was asked what it is and what it lists. At least one of `introduction`,
 * `credentials` and `payment` is present: without all of them, an endpoint gave no answer.
 */
export interface EndpointAnswer {
  readonly result: 'answered';
  readonly url: string;
  readonly transport: Transport;
  /** The exchange that decided this answer. */
  readonly by: OpeningMessage;
  /** The other exchange, if it may decide differently the next time. */
  readonly open?: OpenExchange;
  /** `isSpoken`: a message in its revision was answered. */
  readonly introduction?: ReturnType<typeof toIntroduction> & { readonly isSpoken: boolean };
  /** The list of tools, or why there is none. */
  readonly list: ListedMembers | NoAnswer;
  /** Each other list that the endpoint declares, or why there is none. */
  readonly besides: Besides;
  /** The first response that asked for credentials. */
  readonly credentials?: Fetched;
  /** The first response that asked for a payment, for any list. */
  readonly payment?: Fetched;
  /**
   * The second response to the same message, if it asked for a payment, too: some endpoints name a different
   * address in each.
   */
  readonly paymentAgain?: Fetched;
}

/** Once an endpoint has sent this much, twice the largest list of tools, it is sent no more messages. */
export const mostRead_bytes = 4 * 1024 * 1024;

export interface AskParts {
  readonly fetch: PoliteFetch;
  readonly client: ClientInfo;
  readonly timeouts: Pick<Timeouts, 'observerFirstTry_ms' | 'observerSecondTry_ms'>;
  readonly room: ListRoom;
  readonly oneSession: OneSession;
}

export type Conversation = ReturnType<typeof createConversation>;

/**
 * Begins a conversation with an endpoint, without sending anything. `exchange` sends a message with an id,
 * and returns the response with its reply.
 */
export const createConversation = (
  url: string,
  transport: Transport,
  parts: AskParts,
  exchange: (message: RpcMessage, id: number, timeout_ms: number) => Promise<Fetched | NoAnswer>,
) => ({
  url,
  transport,
  ...parts,
  exchange,
  lastId: 0,
  read_bytes: 0,
  responses: 0,
  /** The pages left for all lists together. */
  left: createPagesLeft(),
  /** Tells whether the newest question for tools brought a list; undefined before the first one. */
  hasTools: undefined as boolean | undefined,
  /** The session of the newest response. */
  sessionId: undefined as string | undefined,
});

async function sendOnce(
  talk: Conversation,
  message: (id: number) => RpcMessage,
  timeout_ms: number,
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
 * Sends a message, and sends it again if a payment is asked for: a payee that differs within one check cannot
 * be compared over time.
 */
export async function send(
  talk: Conversation,
  message: (id: number) => RpcMessage,
  timeout_ms = talk.timeouts.observerSecondTry_ms,
): Promise<Replied> {
  const reply = await sendOnce(talk, message, timeout_ms);
  if (reply.is !== 'payment') return reply;
  const again = await sendOnce(talk, message, timeout_ms);
  return again.is === 'payment' ? { ...reply, again: again.response } : reply;
}

/**
 * The introduction of an endpoint in a response with this status: in the `modern` era by server/discover, in
 * the `legacy` era by initialize. `protocol` is the revision that was spoken.
 */
function toIntroduction(
  result: JsonObject,
  more: { readonly status: number; readonly protocol: string; readonly era: 'modern' | 'legacy' },
) {
  return {
    ...more,
    capabilities: asObject(result.capabilities),
    // Revision 2026-07-28 has it in `_meta`.
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

type Asks = Extract<Replied, { readonly response: Fetched }>;

/** The request for a payment, and its second response. */
const paymentOf = ({ response, again }: Asks): Pick<EndpointAnswer, 'payment' | 'paymentAgain'> => ({
  payment: response,
  ...(again && { paymentAgain: again }),
});

export const toWithheld = (
  { url, transport }: Pick<Conversation, 'url' | 'transport'>,
  asks: Asks,
  by: OpeningMessage,
): EndpointAnswer => ({
  result: 'answered',
  url,
  transport,
  by,
  list: withheld[asks.is],
  besides: {},
  ...(asks.is === 'credentials' ? { credentials: asks.response } : paymentOf(asks)),
});

/** Creates a message of the conversation's revision. */
type ToMessage = (id: number, method: string, params: object) => RpcMessage;

/** Asks for the pages of a list, each within a time, until the endpoint has sent enough. */
const askForList = (
  surface: Surface,
  talk: Conversation,
  message: ToMessage,
  { timeout_ms, note }: { readonly timeout_ms?: number; readonly note?: (reply: Replied) => void } = {},
) =>
  listSurface(surface, {
    room: talk.room,
    left: talk.left,
    async read(method, params) {
      if (talk.read_bytes > mostRead_bytes) return 'enough';
      const reply = await send(talk, (id) => message(id, method, params), timeout_ms);
      note?.(reply);
      return reply;
    },
  });

/** The reason why a declared list is not there. */
function declaredOnly({ title }: Surface, found: Exclude<Replied, { readonly is: 'result' }>): NoAnswer {
  if (found.is === 'no_answer')
    return {
      ...found.answer,
      why: say`The endpoint declares ${title}, and Dossier has no list of them. ${found.answer.why}`,
    };
  const [what, never] =
    found.is === 'credentials'
      ? [own('credentials'), own('sends none')]
      : [own('a payment'), own('never pays')];
  return none(
    'asks',
    say`The endpoint declares ${title}, and asks for ${what} before it lists them; Dossier ${never}.`,
    {
      asks_for: found.is,
    },
  );
}

const afterSilence = ({ title }: Surface) =>
  none(
    'not_asked',
    say`The endpoint declares ${title}. Dossier did not ask for them, because the endpoint had not answered the question for another list.`,
  );

/**
 * Asks for the other lists that an endpoint declares, after its tools. An endpoint that does not answer one
 * question is asked no further ones, so that the lists take little of the time of its check.
 */
async function askBesides(
  talk: Conversation,
  capabilities: JsonObject | undefined,
  message: ToMessage,
): Promise<Pick<EndpointAnswer, 'besides' | 'payment' | 'paymentAgain'>> {
  const besides: { [Name in BesideName]?: ListedMembers | NoAnswer } = {};
  let payment: ReturnType<typeof paymentOf> | undefined;
  let isSilent = false;
  const timeout_ms = talk.timeouts.observerFirstTry_ms;
  for (const surface of besideTools.filter((one) => one.isDeclared(capabilities ?? {}))) {
    const found: Awaited<ReturnType<typeof askForList>> | NoAnswer = isSilent
      ? afterSilence(surface)
      : await askForList(surface, talk, message, { timeout_ms });
    if ('is' in found && found.is === 'payment') payment ??= paymentOf(found);
    const list: ListedMembers | NoAnswer = 'is' in found ? declaredOnly(surface, found) : found;
    isSilent ||= list.result === 'no_answer' && list.outcome === 'silent';
    besides[surface.name] = list;
  }
  return { besides, ...payment };
}

/** Asks for the list of tools and, if it came or there is none, for the other lists. */
async function withLists(
  talk: Conversation,
  introduced: ReturnType<typeof toIntroduction>,
  message: ToMessage,
): Promise<EndpointAnswer> {
  const by: OpeningMessage = introduced.era === 'modern' ? 'discover' : 'initialize';
  // A discovery is a message in the revision that it offers; initialize only agrees on a revision.
  let isSpoken = by === 'discover';
  const list = await askForList(surfaces.tools, talk, message, {
    note(reply) {
      isSpoken ||= reply.is !== 'no_answer' || reply.answer.outcome === 'absent';
    },
  });
  const { url, transport } = talk;
  const introduction = { ...introduced, isSpoken };
  if ('is' in list && list.is !== 'no_answer') return { ...toWithheld(talk, list, by), introduction };
  const found = 'is' in list ? list.answer : list;
  // In the second era, the other lists are asked for only if there are tools; otherwise the answer of the
  // first era counts.
  const isFirst = talk.hasTools === undefined;
  talk.hasTools = found.result === 'listed';
  const isAsked = found.result === 'listed' || (isFirst && found.outcome === 'absent');
  const rest = isAsked ? await askBesides(talk, introduced.capabilities, message) : { besides: {} };
  return { result: 'answered', url, transport, by, introduction, list: found, ...rest };
}

export async function askModern(talk: Conversation, { result, status }: Extract<Replied, { is: 'result' }>) {
  const introduction = toIntroduction(result, { status, protocol: modernRevision, era: 'modern' });
  return withLists(talk, introduction, (id, method, params) =>
    modernMessage(id, method, params, talk.client),
  );
}

async function endSession(talk: Conversation, session: Parameters<typeof legacyMessage>[0]): Promise<void> {
  if (session.id === undefined) return;
  const { headers } = legacyMessage(session, { method: '' });
  await talk.fetch({ url: talk.url, method: 'DELETE', headers });
}

async function askLegacy(
  talk: Conversation,
  { result, status }: Extract<Replied, { is: 'result' }>,
  notify: (message: RpcMessage) => Promise<unknown>,
) {
  const revision = String(result.protocolVersion);
  const session = { revision, id: talk.sessionId };
  await notify(legacyMessage(session, { method: 'notifications/initialized' }));
  const introduction = toIntroduction(result, { status, protocol: revision, era: 'legacy' });
  const run = await withLists(talk, introduction, (id, method, params) =>
    legacyMessage(session, { id, method, params }),
  );
  await endSession(talk, session);
  return run;
}

const mostIntroduced = 10_000;

/** Refuses an introduction of more than 10,000 values, since it is kept until the check ends. */
export const toIntroduced = (reply: Replied): Replied =>
  reply.is === 'result' && countValues(JSON.stringify(reply.result)) > mostIntroduced
    ? noAnswer(
        'otherwise',
        own(
          'The endpoint introduced itself with more than 10,000 values of JSON, which Dossier does not read.',
        ),
        reply.status,
      )
    : reply;

/**
 * Tells whether a discovery offers the revision in which it was sent; some servers that speak only older ones
 * answer it.
 */
export const isOffered = ({ supportedVersions }: JsonObject) =>
  Array.isArray(supportedVersions) && supportedVersions.includes(modernRevision);
/** The revisions in which clients go on with a session. */
const sessionRevisions: ReadonlySet<unknown> = new Set(legacyRevisions);

const isSession = ({ protocolVersion }: JsonObject) => sessionRevisions.has(protocolVersion);

const notSpoken = none(
  'otherwise',
  own('The endpoint returned no introduction in a revision of MCP that Dossier speaks.'),
  { status: 200 },
);

/**
 * Chooses why there is no answer to these messages; the message that most clients send first comes first.
 * Temporary reasons are preferred, because they leave open what else there is. An endpoint that sent a result
 * to any message exists, whatever it said about the others.
 */
export function toNoAnswer(replies: readonly Replied[]): NoAnswer {
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

/** Follows the reply to initialize; undefined if it neither introduces the endpoint nor asks for anything. */
export async function afterInitialize(
  talk: Conversation,
  reply: Replied,
  notify: (message: RpcMessage) => Promise<unknown>,
): Promise<EndpointAnswer | undefined> {
  if (reply.is === 'result') return isSession(reply.result) ? askLegacy(talk, reply, notify) : undefined;
  return reply.is === 'no_answer' ? undefined : toWithheld(talk, reply, 'initialize');
}

/** Asks with initialize and tools/list only; `notify` sends a message that has no reply. */
export async function askInitialized(
  talk: Conversation,
  notify: (message: RpcMessage) => Promise<unknown>,
): Promise<EndpointAnswer | NoAnswer> {
  const reply = toIntroduced(await send(talk, (id) => initializeMessage(id, talk.client)));
  return (await afterInitialize(talk, reply, notify)) ?? toNoAnswer([reply]);
}
