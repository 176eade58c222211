import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { memoryReads, toolCalls } from '../../observability/events.ts';
import type { Request } from '../environment.ts';
import type { AnswerCache } from './answer-cache.ts';
import { type CacheableMessage, readCacheable } from './cacheable-message.ts';

/** Makes the answer to a message; `onResult` gets the JSON of an answer that is a result without isError. */
export type MakeAnswer = (onResult?: (text: string) => void) => Promise<Response>;

/** Answers of the MCP endpoint: those that follow from the message and the stored listings come from memory. */
export interface McpCache {
  /** The cached answer to a message that passed every check, or the one that `make` makes. */
  answer(c: Request, message: unknown, make: MakeAnswer): Response | Promise<Response>;
}

type Headers = Readonly<Record<string, string>>;

/** A client that has been answered: what it says about itself was well-formed. */
const clientKey = ({ client }: CacheableMessage) => `client ${client}`;
const noTags = { cacheTags: [] };

/** The JSON text of an answer up to its id, which is its last member; undefined where it is not. */
function withoutId(text: string, id: number | string): string | undefined {
  const end = `${JSON.stringify(id)}}`;
  return text.endsWith(`"id":${end}`) ? text.slice(0, -end.length) : undefined;
}

/** Sends an answer under an id of ASCII characters; over a socket in one write with its headers. */
function send({ env, req }: Request, bytes: string, headers: Headers): Response {
  const outgoing = env?.outgoing;
  // Headers for scripts of other sites are added later, by the route.
  if (!outgoing || req.header('origin') !== undefined)
    return new Response(Buffer.from(bytes, 'latin1'), { headers });
  outgoing.writeHead(200, { ...headers, 'content-length': bytes.length });
  outgoing.end(bytes, 'latin1');
  return RESPONSE_ALREADY_SENT;
}

/** Caches answers of the endpoint, all of which have the same `headers`. It makes none itself; errors are never stored. */
export function createMcpCache(cache: AnswerCache, headers: Headers): McpCache {
  const find = (message: CacheableMessage) => {
    const found = cache.get(clientKey(message)) && cache.get(message.key);
    memoryReads.publish({ memory: 'answers', isHit: found !== undefined });
    return found;
  };
  const makeAndStore = (message: CacheableMessage, make: MakeAnswer) => {
    const store = cache.begin();
    return make((text) => {
      const bytes = withoutId(text, message.id);
      if (bytes === undefined) return;
      store(clientKey(message), { bytes: '' }, noTags);
      store(
        message.key,
        { bytes: Buffer.from(bytes).toString('latin1') },
        { cacheTags: message.cacheTags() },
      );
    });
  };
  return {
    answer(c, body, make) {
      const message = readCacheable(body, c.req.raw.headers);
      if (!message) return make();
      const found = find(message);
      if (!found) return makeAndStore(message, make);
      if (message.tool) toolCalls.publish({ tool: message.tool, outcome: 'ok' });
      c.set('isSecured', true);
      return send(c, `${found.bytes}${JSON.stringify(message.id)}}`, headers);
    },
  };
}
