import { hash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** Built in full first, so that an error can still be answered. */
interface OperatorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

function sendAnswer(response: ServerResponse, { status, headers, body }: OperatorAnswer): void {
  response.writeHead(status, headers).end(body);
}

interface OperatorPage {
  readonly token: string;
  read(): Promise<string>;
}

async function readOperatorPage(
  { headers: { authorization = '' } }: IncomingMessage,
  { token, read }: OperatorPage,
): Promise<OperatorAnswer> {
  if (!timingSafeEqual(digest(authorization), digest(`Bearer ${token}`)))
    return {
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="operator"' },
      body: 'Send OPERATOR_TOKEN as Authorization: Bearer.\n',
    };
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  };
  return { status: 200, headers, body: await read() };
}

export type Metrics = Awaited<ReturnType<typeof startMetrics>>;

/** No DNS entry of another site can be one of these (DNS rebinding). */
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** For Prometheus, on its own listener; `reports` is at /reports. Rejects as `listen` does. */
export async function startMetrics(
  listener: ListenOptions,
  {
    readStoreFigures,
    reports,
    toFailed,
  }: {
    readonly readStoreFigures: () => Promise<StoreFigures>;
    readonly reports?: OperatorPage | undefined;
    readonly toFailed: (error: unknown) => OperatorAnswer;
  },
) {
  const registry = new Registry();
  const instruments = createInstruments(registry);
  let isLoopback = true;
  const answer = async (request: IncomingMessage): Promise<OperatorAnswer> => {
    const { method, url, headers } = request;
    const isHostAllowed = !isLoopback || loopbackHost.test(headers.host ?? '');
    const path = method === 'GET' && isHostAllowed ? url : undefined;
    if (path === '/reports' && reports) return readOperatorPage(request, reports);
    if (!isHostAllowed) return { status: 404, body: 'The host must be localhost or a loopback address.\n' };
    if (path !== '/metrics') return { status: 404, body: 'Not found. Try GET /metrics.\n' };
    await measureStore(instruments, readStoreFigures);
    return { status: 200, headers: { 'content-type': registry.contentType }, body: await registry.metrics() };
  };
  const server = createServer(async (request, response) =>
    sendAnswer(response, await answer(request).catch(toFailed)),
  );
  server.listen(listener);
  await once(server, 'listening');
  isLoopback = /^(127\.|::1$)/.test((server.address() as AddressInfo).address);
  collectDefaultMetrics({ register: registry });
  const stopMeasuring = [measureHttp(instruments, server), measureWork(instruments)];
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`,
    async stop() {
      for (const end of stopMeasuring) end();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
