import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { MemoryLimit } from '../../limits/memory.ts';
import { memoryReads, toolCalls } from '../../observability/events.ts';
import type { HttpEnvironment, Read } from '../environment.ts';
import { logAnswer } from '../middleware/access-log.ts';
import { networkOf } from '../middleware/caller.ts';
import { createHostCheck } from '../middleware/host.ts';
import { mayHoldSecret } from '../request/mcp-secret.ts';
import { createKeptBytes } from './answer-cache.ts';
import { type PlainMessage, readPlain } from './cacheable-message.ts';
import { type Finished, sendFinished, toFinished } from './mcp-answer.ts';

type Environment = HttpEnvironment['Bindings'];
type Fetch = (request: Request, environment?: Environment) => Response | Promise<Response>;

/** What the gate stands in front of, and the limit that both count against. */
export interface Behind {
  readonly context: Context;
  readonly fetch: Fetch;
  readonly limit: MemoryLimit;
}

/** The app with the gate in front of it. */
export interface McpGate {
  readonly fetch: Fetch;
  /** Forgets everything. */
  close(): void;
}

const path = '/api/mcp';
const budget_bytes = 24 * 1024 * 1024;
const longestMessage_bytes = 4096;

/** Headers that change what is answered or how a body is read: with one of them a request is not plain. */
const unusual = ['origin', 'content-encoding', 'x-request-id'] as const;

/** Whether a POST may be plain by its address and headers. */
function mayBePlain({ url, headers }: Request, isOurs: (host: string) => boolean): boolean {
  const host = headers.get('host') ?? '';
  return (
    (url === `http://${host}${path}` || url === `https://${host}${path}`) &&
    isOurs(host) &&
    headers.get('content-type') === 'application/json' &&
    Number(headers.get('content-length') ?? Number.NaN) <= longestMessage_bytes &&
    !unusual.some((name) => headers.has(name))
  );
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function parsePlain(bytes: Read['body'], headers: Headers): PlainMessage | undefined {
  try {
    const text = strictUtf8.decode(bytes);
    return mayHoldSecret(text) ? undefined : readPlain(JSON.parse(text), headers);
  } catch {
    return undefined;
  }
}

type Incoming = NonNullable<Environment['incoming']>;

/** The body of a request from a socket, without a stream or a copy in between. */
function readIncoming(incoming: Incoming): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  incoming.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
  incoming.on('error', reject).on('close', reject);
  return promise;
}

/** Takes a call from the caller's limit; where there is none left, it is refused behind the gate. */
function isAdmitted({ context, limit }: Behind, { headers }: Request, environment?: Environment): boolean {
  const network = networkOf(headers, context.config, environment?.incoming?.socket.remoteAddress);
  try {
    limit.take(network, context.clock().getTime());
    return true;
  } catch {
    return false;
  }
}

const mostClients = 1000;

/** What clients say of themselves, as it was well-formed once: at most a thousand texts. */
function createKnownClients() {
  const known = new Set<string>();
  return {
    has: (client: string) => known.has(client),
    add(client: string) {
      if (known.size >= mostClients) known.clear();
      known.add(client);
    },
  };
}

/**
 * Answers plain messages (mcp/plain.ts) from memory, as they were answered before, and lets all others through as they
 * came. It makes no answer of its own: it keeps what came from behind it until a write touches what that was about.
 * What it answers has passed the same checks (address, Host, type, size, limit) and is logged alike; a request
 * that fails one of them, or is unusual in anything, is judged behind it.
 */
export function createMcpGate(behind: Behind): McpGate {
  const { context, fetch } = behind;
  const isOurs = createHostCheck(context.config);
  const kept = createKeptBytes<Finished>(context.store, budget_bytes);
  const clients = createKnownClients();

  const passAndKeep = async (request: Request, environment: Environment, plain: PlainMessage) => {
    const keep = kept.reading();
    let text: string | undefined;
    const answered = (said: string) => {
      text = said;
    };
    const response = await fetch(request, { ...environment, answered });
    const finished = text === undefined ? undefined : toFinished(text, plain.id, response);
    if (!finished) return response;
    clients.add(plain.client);
    keep(finished, { key: plain.key, cacheTags: plain.cacheTags(), bytes: finished.before.length });
    return response;
  };

  const answer = async (request: Request, environment?: Environment) => {
    const start = performance.now();
    const incoming = environment?.incoming;
    const reading = incoming ? readIncoming(incoming) : request.arrayBuffer();
    const body = await reading.catch(() => undefined);
    if (!body) return fetch(request, environment);
    const plain = parsePlain(body, request.headers);
    if (!plain) return fetch(request, { ...environment, body });
    const finished = clients.has(plain.client) ? kept.get(plain.key) : undefined;
    memoryReads.publish({ memory: 'answers', isHit: finished !== undefined });
    if (!finished || !isAdmitted(behind, request, environment))
      return passAndKeep(request, { ...environment, body }, plain);
    if (plain.tool) toolCalls.publish({ tool: plain.tool, outcome: 'ok' });
    logAnswer(context, { request: randomUUID(), method: 'POST', path, status: 200, start });
    return sendFinished(finished, plain.id, environment?.outgoing);
  };

  return {
    fetch: (request, environment) =>
      request.method === 'POST' && mayBePlain(request, isOurs)
        ? answer(request, environment)
        : fetch(request, environment),
    close: kept.close,
  };
}
