import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { RegistryEntry } from './entries.ts';

/** How a hostile or troubled registry answers a list request. */
export type Trouble =
  | 'cursor_loop'
  | 'html'
  | 'truncated'
  | 'huge'
  | 'bomb'
  | 'wrong_types'
  | 'no_list'
  | 'bad_utf8'
  | 'redirect'
  | 'rate_limited'
  | 'unavailable'
  | 'cut_off'
  | 'silent'
  | 'no_cursor';

/** A registry on loopback in the shape of the official one. */
export interface RegistryServer {
  readonly url: string;
  /** Every list request so far: its query and its User-Agent. */
  readonly requests: { readonly query: URLSearchParams; readonly userAgent: string }[];
  /** Bytes of all answers so far. */
  sent_bytes(): number;
  /** What it holds from now on. */
  serve(entries: readonly RegistryEntry[]): void;
  /** Answers the next `times` list requests after `after` good ones with trouble. */
  trouble(kind: Trouble, where?: { readonly after?: number; readonly times?: number }): void;
  /** Answers this many more list requests, or all, and holds later ones until it is called again. */
  answerOnly(count: number): void;
  stop(): Promise<void>;
}

interface Held {
  readonly key: string;
  readonly updatedAt: number;
  readonly isDeleted: boolean;
  readonly json: string;
}

function toHeld(entry: RegistryEntry): Held {
  const official = entry._meta['io.modelcontextprotocol.registry/official'];
  return {
    key: `${String(entry.server.name)}:${String(entry.server.version)}`,
    updatedAt: Date.parse(String(official.updatedAt)),
    isDeleted: official.status === 'deleted',
    json: JSON.stringify(entry),
  };
}

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer) => {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
};

const sendJson = (response: ServerResponse, status: number, body: string) =>
  send(response, status, 'application/json', body);

const page = (items: readonly string[], nextCursor: string | undefined) =>
  `{"servers":[${items.join(',')}],"metadata":{${nextCursor ? `"nextCursor":${JSON.stringify(nextCursor)},` : ''}"count":${items.length}}}`;

/** The answer to a well-formed list request, as the official registry gives it; a status where it refuses. */
function toList(held: readonly Held[], query: URLSearchParams): string | number {
  const limit = Number(query.get('limit') ?? 30);
  const since = query.get('updated_since');
  const includeDeleted = query.get('include_deleted');
  if (!(limit >= 1 && limit <= 100)) return 422;
  if (since && includeDeleted === 'false') return 400;
  const cursor = query.get('cursor') ?? '';
  const withDeleted = includeDeleted === 'true' || since !== null;
  const found: Held[] = [];
  for (const one of held) {
    if (one.key <= cursor || (one.isDeleted && !withDeleted)) continue;
    if (since && one.updatedAt <= Date.parse(since)) continue;
    if (found.push(one) > limit) break;
  }
  const shown = found.slice(0, limit);
  const nextCursor = found.length > limit ? shown.at(-1)?.key : undefined;
  return page(
    shown.map(({ json }) => json),
    nextCursor,
  );
}

function answerList(
  held: readonly Held[],
  query: URLSearchParams,
  response: ServerResponse,
  losesCursor: boolean,
): void {
  const whole = toList(held, query);
  const list = losesCursor && typeof whole === 'string' ? whole.replace(/"nextCursor":"[^"]*",/, '') : whole;
  if (typeof list === 'number') sendJson(response, list, '{"title":"refused"}');
  else sendJson(response, 200, list);
}

const mebibyte = 1024 * 1024;

function* hugePage(): Generator<string> {
  const chunk = `{"a":"${'x'.repeat(mebibyte)}"},`;
  yield '{"servers":[';
  for (let sent = 0; sent < 200; sent++) yield chunk;
  yield '{}]}';
}

async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  // The reader hangs up in the middle.
  await pipeline(Readable.from(hugePage()), response).catch(() => undefined);
}

const troubles: Record<Exclude<Trouble, 'no_cursor'>, (response: ServerResponse) => void | Promise<void>> = {
  cursor_loop: (response) => sendJson(response, 200, page([], 'again')),
  html: (response) => send(response, 200, 'text/html', '<!doctype html><title>Sign in</title>'),
  truncated: (response) => sendJson(response, 200, '{"servers":[{"server":{"name":"a/b"'),
  huge: sendHuge,
  bomb: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(64 * mebibyte, ' ')));
  },
  wrong_types: (response) =>
    sendJson(response, 200, '{"servers":[1,"x",null,[],{"server":7}],"metadata":{}}'),
  no_list: (response) => sendJson(response, 200, '{"servers":"none"}'),
  bad_utf8: (response) => send(response, 200, 'application/json', Buffer.of(0x22, 0xff, 0x22)),
  redirect: (response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' });
    response.end();
  },
  rate_limited: (response) => {
    response.writeHead(429, { 'retry-after': '0', 'content-type': 'application/json' });
    response.end('{}');
  },
  unavailable: (response) => sendJson(response, 503, '{}'),
  cut_off: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"servers":[');
    setTimeout(() => response.destroy(), 10);
  },
  silent: () => undefined,
};

/**
 * Starts a registry that serves these entries: limit, cursor, updated_since, include_deleted, and trouble on
 * demand.
 */
export async function startRegistryServer(entries: readonly RegistryEntry[] = []): Promise<RegistryServer> {
  let held: Held[] = [];
  let toAnswer = Number.POSITIVE_INFINITY;
  const waiting: (() => void)[] = [];
  let planned: { kind: Trouble; after: number; times: number } | undefined;
  const requests: RegistryServer['requests'] = [];
  const serve = (served: readonly RegistryEntry[]) => {
    held = served.map(toHeld).sort((a, b) => (a.key < b.key ? -1 : 1));
  };
  const nextTrouble = (): Trouble | undefined => {
    if (!planned || planned.times === 0) return undefined;
    if (planned.after > 0) {
      planned.after -= 1;
      return undefined;
    }
    planned.times -= 1;
    return planned.kind;
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://registry');
    if (url.pathname !== '/v0.1/servers') return sendJson(response, 404, '{"title":"Not Found"}');
    requests.push({ query: url.searchParams, userAgent: request.headers['user-agent'] ?? '' });
    if (toAnswer > 0) toAnswer -= 1;
    else
      await new Promise<void>((goOn) => {
        waiting.push(goOn);
        // A killed client gives up its place in the queue.
        response.once('close', () => waiting.includes(goOn) && waiting.splice(waiting.indexOf(goOn), 1));
      });
    const kind = nextTrouble();
    if (kind && kind !== 'no_cursor') return troubles[kind](response);
    return answerList(held, url.searchParams, response, kind === 'no_cursor');
  };
  serve(entries);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sent_bytes: () => sockets.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    serve,
    trouble: (kind, { after = 0, times = Number.POSITIVE_INFINITY } = {}) => {
      planned = { kind, after, times };
    },
    answerOnly: (count) => {
      const released = waiting.splice(0, count);
      toAnswer = count - released.length;
      for (const goOn of released) goOn();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
