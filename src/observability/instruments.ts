import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Counter, Histogram, type Registry } from 'prom-client';
import { logMismatches, memoryReads, toolCalls, webhookAttempts, writes } from './events.ts';

const answer_s = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A longer response is a stream. */
const longestAnswer_s = 30;

/** First segments of paths, the labels of counted requests; all others count as `other`. */
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

/** A message of Node's own channels of its HTTP servers. */
interface HttpMessage {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
}

/** Counts and times what every HTTP server of this process answers, except `own`. Returns a function that stops it. */
export function measureHttp(registers: Registry[], own: Server): () => void {
  const answered = new Counter({
    name: 'dossier_http_requests_total',
    help: 'Answered HTTP requests by the first part of their path and by status',
    labelNames: ['route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'dossier_http_request_seconds',
    help: 'Time from a request to the end of its answer, streams left out',
    labelNames: ['route'],
    buckets: answer_s,
    registers,
  });
  const starts = new WeakMap<IncomingMessage, number>();
  const begin = (message: unknown) => void starts.set((message as HttpMessage).request, performance.now());
  const end = (message: unknown) => {
    const { request, response, server } = message as HttpMessage;
    const start = starts.get(request);
    if (server === own || start === undefined) return;
    const route = toRoute(request.url ?? '');
    const taken_s = (performance.now() - start) / 1000;
    answered.inc({ route, status: response.statusCode });
    if (taken_s <= longestAnswer_s) seconds.observe({ route }, taken_s);
  };
  subscribe('http.server.request.start', begin);
  subscribe('http.server.response.finish', end);
  return () => {
    unsubscribe('http.server.request.start', begin);
    unsubscribe('http.server.response.finish', end);
  };
}

/** Counts tool calls and cache reads, and times writes. Returns a function that stops it. */
export function measureWork(registers: Registry[]): () => void {
  const calls = new Counter({
    name: 'dossier_tool_calls_total',
    help: 'Calls of tools by any face: ok, or the code of the problem',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const reads = new Counter({
    name: 'dossier_memory_reads_total',
    help: 'Facts of listings, counts of searches and finished answers that were in memory (hit) or not (miss)',
    labelNames: ['memory', 'result'],
    registers,
  });
  const seconds = new Histogram({
    name: 'dossier_store_write_seconds',
    help: 'Time until a transaction was durable, waiting included',
    buckets: answer_s,
    registers,
  });
  const mismatches = new Counter({
    name: 'dossier_log_mismatches_total',
    help: 'Requested proofs that were refused: the database disagreed with the transparency log',
    registers,
  });
  const webhooks = new Counter({
    name: 'dossier_webhook_attempts_total',
    help: 'Messages posted to webhooks, by whether they were accepted',
    labelNames: ['outcome'],
    registers,
  });
  const undo = [
    logMismatches.subscribe(() => mismatches.inc()),
    toolCalls.subscribe(({ tool, outcome }) => calls.inc({ tool, outcome })),
    memoryReads.subscribe(({ memory, isHit }) => reads.inc({ memory, result: isHit ? 'hit' : 'miss' })),
    writes.subscribe((write) => seconds.observe(write.seconds)),
    webhookAttempts.subscribe(({ outcome }) => webhooks.inc({ outcome })),
  ];
  return () => {
    for (const end of undo) end();
  };
}
