import { hash, timingSafeEqual } from 'node:crypto';
import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import {
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import table from './instruments.json' with { type: 'json' };

const measurements = channel('dossier:measured');

type Metric = keyof (typeof table.counters & typeof table.gauges & typeof table.histograms);

export interface Measured {
  readonly name: Metric;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | undefined;
}

/** By default 1. */
export function measure(name: Metric, labels: Measured['labels'] = {}, value?: number): void {
  if (measurements.hasSubscribers) measurements.publish({ name, labels, value });
}

export function onMeasured(listener: (measured: Measured) => void): () => void {
  const receive = (message: unknown) => listener(message as Measured);
  measurements.subscribe(receive);
  return () => void measurements.unsubscribe(receive);
}

export const countRead = (memory: 'facts' | 'counts' | 'answers' | 'pages' | 'refusals', isHit: boolean) =>
  measure('dossier_memory_reads_total', { memory, result: isHit ? 'hit' : 'miss' });

export async function timeWrite<T>(write: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await write();
  } finally {
    measure('dossier_store_write_seconds', {}, (performance.now() - start) / 1000);
  }
}

const answer_s = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Longer ones are streams, counted but not timed. */
const longestAnswer_s = 30;

type Instruments = Readonly<Record<keyof typeof table.counters, Counter>> &
  Readonly<Record<keyof typeof table.gauges, Gauge>> &
  Readonly<Record<keyof typeof table.histograms, Histogram>>;

function createInstruments(registry: Registry): Instruments {
  const registers = [registry];
  const ofKind = (
    metrics: Readonly<Record<string, readonly string[]>>,
    create: (
      settings: Pick<CounterConfiguration<string>, 'name' | 'help' | 'labelNames' | 'registers'>,
    ) => unknown,
  ) =>
    Object.entries(metrics).map(([name, [help = '', ...labelNames]]) => [
      name,
      create({ name, help, labelNames, registers }),
    ]);
  return Object.fromEntries([
    ...ofKind(table.counters, (settings) => new Counter(settings)),
    ...ofKind(table.gauges, (settings) => new Gauge(settings)),
    ...ofKind(table.histograms, (settings) => new Histogram({ ...settings, buckets: answer_s })),
  ]) as Instruments;
}

const routes = new Set([
  'agents',
  'api',
  'assets',
  'badge',
  'compare',
  'feedback',
  'healthz',
  'log',
  'readyz',
  'tags',
]);
function toRoute(url: string): string {
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/api/mcp') return 'mcp';
  const first = path.split('/', 2)[1] ?? '';
  return first === '' ? 'home' : routes.has(first) ? first : 'other';
}

/** Every HTTP server of this process but `own`, until the result is called. */
function measureHttp(to: Instruments, own: Server): () => void {
  const starts = new WeakMap<IncomingMessage, number>();
  type HttpMessage = { request: IncomingMessage; response: ServerResponse; server: Server };
  const begin = (message: unknown) => void starts.set((message as HttpMessage).request, performance.now());
  const end = (message: unknown) => {
    const { request, response, server } = message as HttpMessage;
    const start = starts.get(request);
    if (server === own || start === undefined) return;
    const route = toRoute(request.url ?? '');
    const taken_s = (performance.now() - start) / 1000;
    to.dossier_http_requests_total.inc({ route, status: response.statusCode });
    if (taken_s <= longestAnswer_s) to.dossier_http_request_seconds.observe({ route }, taken_s);
  };
  subscribe('http.server.request.start', begin);
  subscribe('http.server.response.finish', end);
  return () => {
    unsubscribe('http.server.request.start', begin);
    unsubscribe('http.server.response.finish', end);
  };
}

const measureWork = (to: Instruments): (() => void) =>
  onMeasured(({ name, labels, value = 1 }) => {
    const metric = to[name];
    if (metric instanceof Counter) metric.inc(labels, value);
    else if (metric instanceof Gauge) metric.set(labels, value);
    else metric.observe(labels, value);
  });

/** A gauge without a new value keeps its last. */
export interface StoreFigures {
  readonly gauges: Readonly<Partial<Record<keyof typeof table.gauges, number | undefined>>>;
  readonly claims: Readonly<Record<string, number>>;
  readonly imported: Readonly<Record<string, number>>;
}

function setFigures(to: Instruments, { gauges, claims, imported }: StoreFigures): void {
  for (const [name, value] of Object.entries(gauges))
    if (value !== undefined) to[name as keyof typeof gauges].set(value);
  for (const [state, value] of Object.entries(claims)) to.dossier_claims.set({ state }, value);
  for (const [count, value] of Object.entries(imported)) to.dossier_import_last_success.set({ count }, value);
}

/** If the figures cannot be read, gauges keep their values and `dossier_store_up` is 0. */
const measureStore = (to: Instruments, readFigures: () => Promise<StoreFigures>): Promise<void> =>
  readFigures()
    .then((figures) => setFigures(to, figures))
    .then(
      () => to.dossier_store_up.set(1),
      () => to.dossier_store_up.set(0),
    );

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
