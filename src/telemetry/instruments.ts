import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Counter, type CounterConfiguration, Gauge, Histogram, type Registry } from 'prom-client';
import { onMeasured } from './events.ts';
import table from './instruments.json' with { type: 'json' };

const answer_s = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Longer ones are streams, counted but not timed. */
const longestAnswer_s = 30;

type Instruments = Readonly<Record<keyof typeof table.counters, Counter>> &
  Readonly<Record<keyof typeof table.gauges, Gauge>> &
  Readonly<Record<keyof typeof table.histograms, Histogram>>;

export function createInstruments(registry: Registry): Instruments {
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
export function measureHttp(to: Instruments, own: Server): () => void {
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

export const measureWork = (to: Instruments): (() => void) =>
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
export const measureStore = (to: Instruments, readFigures: () => Promise<StoreFigures>): Promise<void> =>
  readFigures()
    .then((figures) => setFigures(to, figures))
    .then(
      () => to.dossier_store_up.set(1),
      () => to.dossier_store_up.set(0),
    );
