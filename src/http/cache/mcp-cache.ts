import type { IncomingMessage } from 'node:http';
import { decodeUtf8 } from '../../evidence/text/read-bounded.ts';
import { memoryReads } from '../../observability/events.ts';
import { parseMessage } from '../request/mcp-message.ts';
import { headerOf } from '../request/raw-headers.ts';
import type { AnswerCache, ReadyAnswer } from './answer-cache.ts';
import { type CacheableMessage, readCacheable } from './cacheable-message.ts';

const memory = 'answers';
const path = '/api/mcp';
const longest_bytes = 4096;

/** Headers that change an answer, or how a body is read. */
const unusual = ['origin', 'content-encoding'] as const;

/** Whether a request is a message to the endpoint that may be answered from memory, by its address and headers. */
export const mayBeCacheable = ({ method, url, headers, rawHeaders }: IncomingMessage): boolean =>
  method === 'POST' &&
  url === path &&
  headerOf(rawHeaders, 'content-type') === 'application/json' &&
  Number(headers['content-length'] ?? Number.NaN) <= longest_bytes &&
  !unusual.some((name) => headers[name] !== undefined);

/** Reads a body, whose length Node enforces, and leaves it where the app's request looks first. */
export function readBody(incoming: IncomingMessage & { rawBody?: Buffer }): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    incoming.rawBody = Buffer.concat(chunks);
    resolve(incoming.rawBody);
  });
  incoming.on('error', reject).on('close', reject);
  return promise;
}

function readMessage(body: Buffer, headers: Pick<Headers, 'get'>): CacheableMessage | undefined {
  const text = decodeUtf8(body);
  try {
    return text === undefined ? undefined : readCacheable(parseMessage(text, headers), headers);
  } catch {
    return undefined;
  }
}

/** A client that was answered before, so that what it says about itself is well-formed. */
const clientKey = ({ client }: CacheableMessage) => `client ${client}`;

/** The cached answer to a message of the endpoint, under the message's id. */
export function findMcpAnswer(
  { headers }: IncomingMessage,
  body: Buffer,
  cache: AnswerCache,
): ReadyAnswer | undefined {
  const message = readMessage(body, { get: (name) => headers[name]?.toString() ?? null });
  const found = message && cache.get(clientKey(message)) && cache.get(message.key);
  if (!found) return undefined;
  const { id, tool } = message;
  // The id is ASCII.
  return { ...found, memory, path, status: 200, tool, bytes: `${found.bytes}${JSON.stringify(id)}}` };
}

/** The JSON text of an answer up to its id, which is its last member; undefined if it is not. */
function withoutId(text: string, id: number | string): string | undefined {
  const end = `${JSON.stringify(id)}}`;
  return text.endsWith(`"id":${end}`) ? text.slice(0, -end.length) : undefined;
}

/**
 * To be called with a message before its answer is made. Returns what stores the answer's JSON text, a result without
 * isError; undefined if answers to this message are not cached.
 */
export function createMcpStore(cache: AnswerCache, headers: Readonly<Record<string, string>>) {
  return (body: unknown, sent: Headers): ((text: string) => void) | undefined => {
    const message = readCacheable(body, sent);
    if (!message) return undefined;
    memoryReads.publish({ memory, isHit: false });
    const store = cache.begin();
    return (text) => {
      const start = withoutId(text, message.id);
      if (start === undefined) return;
      store(clientKey(message), { bytes: '', headers: {} }, { cacheTags: [] });
      const answer = { bytes: Buffer.from(start).toString('latin1'), headers };
      store(message.key, answer, { cacheTags: message.cacheTags() });
    };
  };
}
