import type { NoAnswer } from '../../../net/answer.ts';
import type { PoliteRequest } from '../hosts/polite.ts';
import { isUnanswered } from '../outcome.ts';
import {
  type AskParts,
  afterInitialize,
  askModern,
  type Conversation,
  createConversation,
  type EndpointAnswer,
  isOffered,
  mostRead_bytes,
  type OpenExchange,
  send,
  type Transport,
  toIntroduced,
  toNoAnswer,
  toWithheld,
} from './conversation.ts';
import {
  createReplyWatch,
  initializeMessage,
  modernMessage,
  type Replied,
  type RpcMessage,
} from './messages.ts';
import { whyNoSession } from './one-session.ts';
import { askOverStream } from './stream.ts';

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

const mayAnswerOtherwise = ({ outcome, status, cause }: NoAnswer): boolean =>
  outcome !== 'not_asked' && outcome !== 'refused' && status !== 429 && cause !== 'certificate';

async function askStreamableFirst(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const run = await askEndpoint(url, parts);
  if (run.result === 'answered' || !mayAnswerOtherwise(run)) return run;
  // After a success the endpoint uses this transport, even if Dossier cannot read the response.
  if (run.status !== undefined && run.status < 300) return run;
  const older = await askOverStream(url, parts, parts.timeouts.observerFirstTry_ms);
  return older.result === 'answered' && older.introduction ? older : run;
}

async function askStreamFirst(url: string, parts: AskParts): Promise<EndpointAnswer | NoAnswer> {
  const { observerFirstTry_ms, observerSecondTry_ms } = parts.timeouts;
  const run = await askOverStream(url, parts, observerFirstTry_ms);
  if (run.result === 'answered' || !mayAnswerOtherwise(run)) return run;
  const newer = await askEndpoint(url, parts);
  if (newer.result === 'answered') return newer;
  return run.cause === 'timeout' ? askOverStream(url, parts, observerSecondTry_ms) : run;
}

export const askInTransports = (
  url: string,
  recorded: Transport,
  parts: AskParts,
): Promise<EndpointAnswer | NoAnswer> =>
  recorded === 'sse' ? askStreamFirst(url, parts) : askStreamableFirst(url, parts);
