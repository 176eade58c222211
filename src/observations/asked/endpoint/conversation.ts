import type { Timeouts } from '../../../config/timeouts.ts';
import { asObject, countValues, type JsonObject } from '../../../core/json.ts';
import { legacyRevisions, modernRevision } from '../../../core/revisions.ts';
import { own, say, type Words } from '../../../core/words.ts';
import { asksFirst, type Fetched, type NoAnswer, noAnswer as none } from '../../../net/answer.ts';
import type { PoliteFetch } from '../hosts/polite.ts';
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
import {
  type BesideName,
  besideTools,
  createPagesLeft,
  type ListedMembers,
  type ListRoom,
  listSurface,
  type Surface,
  surfaces,
} from './surface.ts';

/** HTTP with SSE is of 2024-11-05. */
export type Transport = 'streamable-http' | 'sse';

export type OpeningMessage = 'discover' | 'initialize';

export interface OpenExchange {
  readonly exchange: OpeningMessage;
  readonly why: Words;
}

/** A list that the endpoint does not declare is absent. */
export type Besides = { readonly [Name in BesideName]?: ListedMembers | NoAnswer };

/** At least one of `introduction`, `credentials` and `payment` is set. */
export interface EndpointAnswer {
  readonly result: 'answered';
  readonly url: string;
  readonly transport: Transport;
  readonly by: OpeningMessage;
  /** The other exchange may decide differently the next time. */
  readonly open?: OpenExchange;
  /** `isSpoken` tells whether the endpoint answered a message in this revision. */
  readonly introduction?: ReturnType<typeof toIntroduction> & { readonly isSpoken: boolean };
  readonly list: ListedMembers | NoAnswer;
  readonly besides: Besides;
  /** Asked for credentials before the endpoint listed its tools. */
  readonly credentials?: Fetched;
  /** Whatever the message was. */
  readonly payment?: Fetched;
  /** Some endpoints name a different address each time. `none`: the same message got another answer. */
  readonly paymentAgain?: Fetched | 'none';
}

/** A conversation that has read more asks for no further page of a list. */
export const mostRead_bytes = 4 * 1024 * 1024;

export interface AskParts {
  readonly fetch: PoliteFetch;
  readonly client: ClientInfo;
  readonly timeouts: Pick<Timeouts, 'observerFirstTry_ms' | 'observerSecondTry_ms'>;
  readonly room: ListRoom;
  readonly now: Date;
  readonly one_session_at: string | undefined;
}

export type Conversation = ReturnType<typeof createConversation>;

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
  left: createPagesLeft(),
  hasTools: undefined as boolean | undefined,
  sessionId: undefined as string | undefined,
});

async function sendOnce(talk: Conversation, message: (id: number) => RpcMessage, timeout_ms: number) {
  talk.lastId += 1;
  const id = talk.lastId;
  const answer = await talk.exchange(message(id), id, timeout_ms);
  if (answer.result === 'response') {
    talk.responses += 1;
    talk.read_bytes += Buffer.byteLength(answer.text);
    talk.sessionId = answer.headers['mcp-session-id'];
  }
  return toReplied(answer, id);
}

/** A payment is asked for again, since the response may name a different payee. */
export async function send(
  talk: Conversation,
  message: (id: number) => RpcMessage,
  timeout_ms = talk.timeouts.observerSecondTry_ms,
): Promise<Replied> {
  const reply = await sendOnce(talk, message, timeout_ms);
  if (reply.is !== 'payment') return reply;
  const again = await sendOnce(talk, message, timeout_ms);
  const isAnswer = again.is !== 'no_answer' || again.answer.outcome === 'absent';
  return isAnswer ? { ...reply, again } : reply;
}

/** `modern` is revision 2026-07-28. */
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

const asked = {
  credentials: [own('credentials'), own('sends none')],
  payment: [own('a payment (HTTP 402)'), own('never pays')],
} as const;

type Asks = Extract<Replied, { readonly response: Fetched }>;

function withheld({ is: asks_for, response }: Asks, before: Words, who = own('The endpoint')): NoAnswer {
  const [what, never] = asked[asks_for];
  const why = say`${who} asks for ${what} before it ${before}; Dossier ${never}.`;
  return asksFirst(response, why, { asks_for });
}

const paymentOf = ({ response: payment, again }: Asks) => ({
  payment,
  ...(again && { paymentAgain: again.is === 'payment' ? again.response : ('none' as const) }),
});

/** A payment that is asked for at one of two requests, and credentials at the other, are both. */
export function toWithheld(
  { url, transport }: Pick<Conversation, 'url' | 'transport'>,
  asks: Asks,
  by: OpeningMessage,
): EndpointAnswer {
  const refused = [asks, asks.again].find((one) => one?.is === 'credentials');
  return {
    result: 'answered',
    url,
    transport,
    by,
    list: withheld(asks, own('shows anything')),
    besides: {},
    ...(asks.is === 'payment' && paymentOf(asks)),
    ...(refused?.is === 'credentials' && { credentials: refused.response }),
  };
}

type ToMessage = (id: number, method: string, params: object) => RpcMessage;

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

function declaredOnly({ title }: Surface, found: Exclude<Replied, { readonly is: 'result' }>): NoAnswer {
  if (found.is === 'no_answer')
    return {
      ...found.answer,
      why: say`The endpoint declares ${title}, and Dossier has no list of them. ${found.answer.why}`,
    };
  return withheld(found, own('lists them'), say`The endpoint declares ${title}, and`);
}

const afterSilence = ({ title }: Surface) =>
  none(
    'not_asked',
    say`The endpoint declares ${title}. Dossier did not ask for them, because it got no usable answer when it asked for another list.`,
  );

/** After a list that was `silent`, a further one would make the check wait again. */
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
    isSilent ||= list.result === 'no_answer' && (list.outcome === 'silent' || list.status === 429);
    besides[surface.name] = list;
  }
  return { besides, ...payment };
}

async function withLists(
  talk: Conversation,
  introduced: ReturnType<typeof toIntroduction>,
  message: ToMessage,
): Promise<EndpointAnswer> {
  const by: OpeningMessage = introduced.era === 'modern' ? 'discover' : 'initialize';
  // server/discover is itself a message in the offered revision; initialize only agrees on one.
  let isSpoken = by === 'discover';
  const list = await askForList(surfaces.tools, talk, message, {
    note(reply) {
      isSpoken ||= reply.is !== 'no_answer' || reply.answer.outcome === 'absent';
    },
  });
  const { url, transport } = talk;
  const introduction = { ...introduced, isSpoken };
  if ('is' in list && list.is !== 'no_answer')
    return { ...toWithheld(talk, list, by), introduction, list: withheld(list, own('lists tools')) };
  const found = 'is' in list ? list.answer : list;
  // After the modern era, the other lists are asked for only if the legacy era lists tools; otherwise the
  // modern answer counts (ask.ts).
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

/** It stays in memory until the check ends. */
export const toIntroduced = (reply: Replied): Replied =>
  reply.is === 'result' && countValues(JSON.stringify(reply.result)) > mostIntroduced
    ? noAnswer(
        'otherwise',
        own(
          'The endpoint introduced itself with more than 10,000 values of JSON, which Dossier does not read.',
        ),
        { status: reply.status },
      )
    : reply;

/** Some servers answer a discovery although they speak only older revisions. */
export const isOffered = ({ supportedVersions }: JsonObject) =>
  Array.isArray(supportedVersions) && supportedVersions.includes(modernRevision);
const sessionRevisions: ReadonlySet<unknown> = new Set(legacyRevisions);

const notSpoken = none(
  'otherwise',
  own('The endpoint returned no introduction in a revision of MCP that Dossier speaks.'),
  { status: 200 },
);

/** Temporary reasons come first. If any message had a result, the endpoint does not count as absent. */
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

export async function afterInitialize(
  talk: Conversation,
  reply: Replied,
  notify: (message: RpcMessage) => Promise<unknown>,
): Promise<EndpointAnswer | undefined> {
  if (reply.is === 'result')
    return sessionRevisions.has(reply.result.protocolVersion) ? askLegacy(talk, reply, notify) : undefined;
  return reply.is === 'no_answer' ? undefined : toWithheld(talk, reply, 'initialize');
}

export async function askInitialized(talk: Conversation, notify: (message: RpcMessage) => Promise<unknown>) {
  const reply = toIntroduced(await send(talk, (id) => initializeMessage(id, talk.client)));
  return (await afterInitialize(talk, reply, notify)) ?? toNoAnswer([reply]);
}
