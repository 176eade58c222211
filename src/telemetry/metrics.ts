import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import { collectDefaultMetrics, Registry } from 'prom-client';
import {
  createInstruments,
  measureHttp,
  measureStore,
  measureWork,
  type StoreFigures,
} from './instruments.ts';

const digest = (text: string) => hash('sha256', text, 'buffer');

/** Answers with a page that only the operator reads, as HTML; 401 unless the request sends the token as bearer. */
export async function answerOperator(
  request: IncomingMessage,
  response: ServerResponse,
  { token, read }: { readonly token: string; read(): Promise<string> },
): Promise<void> {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`)))
    return void response
      .writeHead(401, { 'www-authenticate': 'Bearer realm="operator"' })
      .end('Send OPERATOR_TOKEN as Authorization: Bearer.\n');
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  };
  response.writeHead(200, headers).end(await read());
}

/** A listener that answers `GET /metrics` in the text form of Prometheus, and `GET /reports` to the operator. */
export type Metrics = Awaited<ReturnType<typeof startMetrics>>;

/** Names of this machine, which no DNS entry of another site can take over. */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/**
 * Measures this process and its HTTP servers from now on and serves the figures to Prometheus on a listener of its own.
 * `readStoreFigures` reads those of one scrape, and rejects if the database does not answer; without `reports` there is no
 * such page. Throws what listening throws.
 */
export async function startMetrics(
  listener: ListenOptions,
  {
    readStoreFigures,
    reports,
  }: {
    readonly readStoreFigures: () => Promise<StoreFigures>;
    readonly reports?: Parameters<typeof answerOperator>[2] | undefined;
  },
) {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  let isLoopback = true;
  const answer: RequestListener = async (request, response) => {
    const { method, url, headers } = request;
    const isNamed = !isLoopback || loopbackHost.test(headers.host ?? '');
    const path = method === 'GET' && isNamed ? url : undefined;
    if (path === '/reports' && reports) return answerOperator(request, response, reports);
    if (path !== '/metrics') return void response.writeHead(404).end('GET /metrics\n');
    await measureStore(instruments, readStoreFigures);
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  };
  const server = createServer((request, response) => {
    Promise.resolve(answer(request, response)).catch(() => response.writeHead(500).end());
  });
  server.listen(listener);
  await once(server, 'listening');
  isLoopback = /^(127\.|::1$)/.test((server.address() as AddressInfo).address);
  collectDefaultMetrics({ register: registry });
  const undo = [measureHttp(instruments, server), measureWork(instruments)];
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`,
    async stop() {
      for (const end of undo) end();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
