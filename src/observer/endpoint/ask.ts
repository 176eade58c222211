import type { Timeouts } from '../../config/timeouts.ts';
import type { Fetched, NoAnswer } from '../../evidence/observation/answer.ts';
import type { EndpointLook } from '../../evidence/observation/endpoint-look.ts';
import { asObject } from '../../evidence/text/json-object.ts';
import type { PoliteFetch } from '../polite/polite-fetch.ts';
import {
  type ClientInfo,
  initializeMessage,
  type LegacySession,
  legacyMessage,
  type Message,
  modernMessage,
  modernRevision,
} from './eras.ts';
import { createReplyWatch, type Replied, type Reply, resultOf } from './messages.ts';
import { listTools, type ToolList } from './tools.ts';

/** No more messages are sent once an endpoint has sent this much: twice the largest list of tools. */
const mostRead_bytes = 4 * 1024 * 1024;

type AskTimeouts = Pick<Timeouts, 'observerFirstTry_ms' | 'observerSecondTry_ms'>;

/** What a conversation with an endpoint needs. */
export interface AskParts {
  readonly fetch: PoliteFetch;
  readonly client: ClientInfo;
  readonly timeouts: AskTimeouts;
}

/** One conversation with an endpoint: its address, and every response so far. */
interface Conversation {
  readonly url: string;
  readonly fetch: PoliteFetch;
  readonly client: ClientInfo;
  readonly timeouts: AskTimeouts;
  readonly responses: Fetched[];
  lastId: number;
  read_bytes: number;
}

/** Sends a message and returns the result in its response. */
async function send(
  talk: Conversation,
  message: (id: number) => Message,
  timeout_ms = talk.timeouts.observerSecondTry_ms,
): Promise<Replied> {
  talk.lastId += 1;
  const id = talk.lastId;
  const isComplete = createReplyWatch(id);
  const answer = await talk.fetch({ url: talk.url, method: 'POST', ...message(id), isComplete, timeout_ms });
  if (answer.result !== 'response') return { is: 'no_answer', answer };
  talk.responses.push(answer);
  talk.read_bytes += answer.text.length;
  const result =
    answer.status === 200 ? resultOf(answer.text, answer.headers['content-type'] ?? '', id) : undefined;
  return result ? { is: 'result', result } : { is: 'no_result' };
}

/** What server/discover and initialize results have in common. */
function toIntroduction(result: Reply) {
  const capabilities = asObject(result.capabilities);
  const serverInfo = asObject(result.serverInfo);
  return { ...(capabilities && { capabilities }), ...(serverInfo && { serverInfo }) };
}

const toLook = (talk: Conversation, more: Partial<EndpointLook> = {}): EndpointLook => ({
  result: 'answered',
  url: talk.url,
  status: talk.responses[0]?.status ?? 0,
  responses: talk.responses,
  ...more,
});

const withTools = ({ tools, isCut, unread }: ToolList) => ({
  ...(tools && { tools }),
  ...(isCut && { isCut }),
  ...(unread && { unread }),
});

/** Asks for the pages of the list of tools until the endpoint has sent enough. */
const readTools = (talk: Conversation, message: (id: number, params: object) => Message) =>
  listTools(async (params) =>
    talk.read_bytes > mostRead_bytes ? 'enough' : send(talk, (id) => message(id, params)),
  );

async function askModern(talk: Conversation, discovered: Reply): Promise<EndpointLook> {
  const list = await readTools(talk, (id, params) => modernMessage(id, 'tools/list', params, talk.client));
  const introduction = { era: 'modern' as const, protocol: modernRevision, ...toIntroduction(discovered) };
  return toLook(talk, { ...introduction, ...withTools(list) });
}

async function endSession(talk: Conversation, session: LegacySession): Promise<void> {
  if (session.id === undefined) return;
  const { headers } = legacyMessage(session, { method: '' });
  await talk.fetch({ url: talk.url, method: 'DELETE', headers });
}

async function askLegacy(talk: Conversation): Promise<EndpointLook | NoAnswer> {
  const reply = await send(talk, (id) => initializeMessage(id, talk.client));
  if (reply.is === 'no_answer') return reply.answer;
  if (reply.is === 'no_result' || typeof reply.result.protocolVersion !== 'string') return toLook(talk);
  const { result } = reply;
  const revision = reply.result.protocolVersion;
  const session: LegacySession = {
    revision: revision.slice(0, 40),
    id: talk.responses.at(-1)?.headers['mcp-session-id'],
  };
  await send(talk, () => legacyMessage(session, { method: 'notifications/initialized' }));
  const list = await readTools(talk, (id, params) =>
    legacyMessage(session, { id, method: 'tools/list', params }),
  );
  await endSession(talk, session);
  const introduction = { era: 'legacy' as const, protocol: session.revision, ...toIntroduction(result) };
  return toLook(talk, { ...introduction, ...withTools(list) });
}

/** Statuses after which another era would be asked the same in vain. */
const isWithheld = (talk: Conversation) =>
  talk.responses.some(({ status }) => status === 401 || status === 402 || status === 403);

/**
 * Asks an endpoint what it is and which tools it lists: server/discover and tools/list of 2026-07-28, else initialize and
 * tools/list of the older era. Two tries, of 6 and 15 seconds. Never a tools/call, a payment or a credential. Any HTTP
 * status is an answer.
 */
export async function askEndpoint(
  url: string,
  { fetch, client, timeouts }: AskParts,
): Promise<EndpointLook | NoAnswer> {
  const talk: Conversation = { url, fetch, client, timeouts, responses: [], lastId: 0, read_bytes: 0 };
  const discover = (timeout_ms: number) =>
    send(talk, (id) => modernMessage(id, 'server/discover', {}, client), timeout_ms);
  const first = await discover(timeouts.observerFirstTry_ms);
  const discovered =
    first.is === 'no_answer' && first.answer.result === 'unreachable'
      ? await discover(timeouts.observerSecondTry_ms)
      : first;
  if (discovered.is === 'no_answer') return discovered.answer;
  if (discovered.is === 'result') return askModern(talk, discovered.result);
  return isWithheld(talk) ? toLook(talk) : askLegacy(talk);
}
