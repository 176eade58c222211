import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Context } from '../../src/context.ts';
import { type App, createApp } from '../../src/http/app.ts';
import type { Message } from './mcp-requests.ts';

/** One more app over a directory, which caches no finished answers. */
export const createUncached = (context: Context): App => createApp(context, { answerCache_bytes: 0 });

/** Serves an app on a port of its own, without the door for cached pages. */
export async function serve(app: App): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const answer = getRequestListener(app.fetch);
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** All of an answer that a caller can see. */
export interface Seen {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const own = ['date', 'keep-alive', 'connection'];

/** Reads an answer, without what the connection adds to it. */
export async function see(response: Response): Promise<Seen> {
  const headers = [...response.headers].filter(([name]) => !own.includes(name));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(headers), body: bytes.toString('latin1') };
}

const usualHost = '127.0.0.1:3000';

/** What reaches the service on a socket: Host and length are always there. Headers of an undefined value are left out. */
export function toPost(
  { headers, body }: Pick<Message, 'headers'> & { body: string | Uint8Array },
  more: Readonly<Record<string, string | undefined>> = {},
): RequestInit {
  const bytes = Buffer.from(body);
  const all = { host: usualHost, 'content-length': String(bytes.length), ...headers, ...more };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { method: 'POST', headers: sent, body: bytes };
}

/** Posts to the endpoint in this process, at the address that the server underneath makes of the Host. */
export async function post(app: App, ...sent: Parameters<typeof toPost>): Promise<Seen> {
  const [{ headers }, more = {}] = sent;
  const host = more.host ?? headers.host ?? usualHost;
  return see(await app.request(`http://${host}/api/mcp`, toPost(...sent)));
}

/** One more app over a directory, each read of a listing's facts told; what is told may hold the read back. */
export const watchReads = (context: Context, onRead: (handle: string) => Promise<void> | void): App =>
  createApp({
    ...context,
    store: {
      ...context.store,
      listings: {
        ...context.store.listings,
        facts: async (handle) => {
          const facts = await context.store.listings.facts(handle);
          await onRead(handle);
          return facts;
        },
      },
    },
  });
