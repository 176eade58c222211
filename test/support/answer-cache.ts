import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getRequestListener } from '@hono/node-server';
import type { Context } from '../../src/context.ts';
import { type App, createApp } from '../../src/http/app.ts';
import type { Message } from './mcp-requests.ts';

/** One more app over a directory, which caches no finished answers and has nothing in front of it. */
export function createUncached(context: Context): App {
  const app = createApp(context, { answerCache_bytes: 0 });
  const toListener = () => {
    const answer = getRequestListener(app.fetch);
    return (incoming: IncomingMessage, outgoing: ServerResponse) => void answer(incoming, outgoing);
  };
  return Object.assign(app, { toListener });
}

/** All of an answer that a caller can see. */
export interface Seen {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const ofConnection = ['date', 'keep-alive', 'connection'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function see(answer: IncomingMessage): Promise<Seen> {
  const headers = Object.entries(answer.headers).filter(([name]) => !ofConnection.includes(name));
  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(
      headers.map(([name, value]) => [name, String(value).replace(uuid, 'a UUID')]),
    ),
    body: (await buffer(answer)).toString('latin1'),
  };
}

const ports = new WeakMap<App, Promise<number>>();

/** Serves an app for as long as the test file runs. */
async function serve(app: App): Promise<number> {
  const server = createServer(app.toListener()).listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function portOf(app: App): Promise<number> {
  const port = ports.get(app) ?? serve(app);
  ports.set(app, port);
  return port;
}

/** A request as it is sent over a socket. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends a request over a socket of its own. */
export async function send(app: App, { body, ...sent }: Sent): Promise<Seen> {
  const sending = request({ agent: false, host: '127.0.0.1', port: await portOf(app), ...sent });
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  return see(answer);
}

/**
 * Posts to the endpoint over a socket. A header of undefined is left out: without a length the body goes in
 * chunks.
 */
export function post(
  app: App,
  { headers, body }: Pick<Message, 'headers'> & { body: string | Uint8Array },
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Seen> {
  const bytes = Buffer.from(body);
  const all = { 'content-length': String(bytes.length), ...headers, ...more };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const chunked = 'content-length' in sent ? {} : { 'transfer-encoding': 'chunked' };
  return send(app, {
    method: 'POST',
    path: '/api/mcp',
    headers: { ...sent, ...chunked } as Sent['headers'],
    body: bytes,
  });
}

/**
 * One more app over a directory that reports each read of a listing's facts; `onRead` may hold the read back.
 */
export const watchReads = (context: Context, onRead: (handle: string) => Promise<void> | void): App =>
  createApp({
    ...context,
    store: {
      ...context.store,
      documents: {
        ...context.store.documents,
        facts: async (handle) => {
          const facts = await context.store.documents.facts(handle);
          await onRead(handle);
          return facts;
        },
      },
    },
  });
