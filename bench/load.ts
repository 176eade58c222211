import type { EventEmitter } from 'node:events';
import autocannon from 'autocannon';
import { cpuTime_ms } from './machine.ts';
import { quantile } from './quantile.ts';
import type { Server } from './server.ts';

/** One request of a load. */
export type Sent = Pick<autocannon.Request, 'method' | 'path' | 'headers' | 'body' | 'setupRequest'>;

/** Requests that are sent to a server in turn, again and again. */
export interface Load {
  readonly name: string;
  readonly server: Server;
  readonly requests: readonly Sent[];
  /** The expected status of every answer; 200 by default. */
  readonly status?: number;
  /** Number of connections, each with one request at a time; 32 by default. */
  readonly connections?: number;
}

/** What a server did under a load. */
export interface Figures {
  readonly rate: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** The server's processor time for one answer: it does not depend on how fast the load comes. */
  readonly cpu_us: number;
}

/** MCP reports errors with status 200. */
const isFailure = (text: string): boolean =>
  text.startsWith('{') && (text.includes('"isError":true') || 'error' in (JSON.parse(text) as object));

/** The answer to one request of a load. Throws if it is not what the load expects. */
export async function requestOnce({ name, server, requests, status = 200 }: Load, at = 0): Promise<string> {
  const { method = 'GET', path = '/', headers = {}, body = null } = requests[at] ?? {};
  const answer = await fetch(new URL(path, server.url), {
    method,
    headers: headers as Record<string, string>,
    body: body as string | null,
  });
  const text = await answer.text();
  if (answer.status !== status || isFailure(text))
    throw new Error(`${name}: ${answer.status} ${text.slice(0, 500)}`);
  return text;
}

/**
 * Times of the answers of a load, but for the first of each connection: autocannon begins to count before it
 * has built the requests of the other connections. The rate is that of all answers from the first one on,
 * until the load ends.
 */
function createTimes(name: string) {
  const times_ms: number[] = [];
  let begun_ms: number | undefined;
  let ended_ms = 0;
  let counted = 0;
  return {
    watch(client: EventEmitter): void {
      let isFirst = true;
      client.on('response', (_status: number, _bytes: number, took_ms: number) => {
        if (begun_ms === undefined) begun_ms = performance.now();
        else counted += 1;
        if (!isFirst) times_ms.push(took_ms);
        isFirst = false;
      });
      client.once('done', () => {
        ended_ms = performance.now();
      });
    },
    total() {
      if (begun_ms === undefined || times_ms.length === 0)
        throw new Error(`${name}: no connection had two answers; measure for longer`);
      return {
        rate: (counted * 1000) / (ended_ms - begun_ms),
        p50_ms: quantile(times_ms, 0.5),
        p99_ms: quantile(times_ms, 0.99),
      };
    },
  };
}

/**
 * Drops bodies: autocannon decodes each as UTF-8 to keep it, which takes longer for a compressed page than
 * sending it.
 */
const dropBodies = (client: unknown) =>
  Object.assign((client as { readonly pipelinedRequests: object }).pipelinedRequests, { addBody() {} });

/**
 * Gives each connection its share of the requests, or all of fewer ones than there are connections, from
 * another one on. autocannon gives all to each, so that it builds 32 times as many and collects their garbage
 * while it measures.
 */
function share(requests: readonly Sent[], connections: number): (client: autocannon.Client) => void {
  let clients = 0;
  return (client) => {
    const first = clients++ % Math.min(connections, requests.length);
    const own =
      requests.length < connections
        ? [...requests.slice(first), ...requests.slice(0, first)]
        : requests.filter((_, at) => at % connections === first);
    client.setRequests(own.map((sent) => ({ ...sent })));
  };
}

/** Asks as fast as the server answers. Throws if an answer is not what the load expects. */
export async function drive(load: Load, seconds: number): Promise<Figures> {
  const { name, server, requests, status = 200, connections = 32 } = load;
  const times = createTimes(name);
  const giveRequests = share(requests, connections);
  const cpuBefore_ms = cpuTime_ms(server.pid) ?? 0;
  const result = await autocannon({
    url: server.url,
    connections,
    duration: seconds,
    // How often autocannon looks whether the duration is over.
    sampleInt: 50,
    requests: requests.slice(0, 1),
    setupClient: (client) => {
      giveRequests(client);
      dropBodies(client);
      times.watch(client);
    },
  });
  const cpu_ms = (cpuTime_ms(server.pid) ?? 0) - cpuBefore_ms;
  const counts = new Map(
    Object.entries(result.statusCodeStats ?? {}).map(([code, { count = 0 }]) => [Number(code), count]),
  );
  const answered = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const expected = counts.get(status) ?? 0;
  if (result.errors + result.timeouts > 0 || answered !== expected || answered === 0)
    throw new Error(
      `${name}: ${result.errors} errors, answers by status ${JSON.stringify(result.statusCodeStats)}`,
    );
  return { ...times.total(), cpu_us: (cpu_ms * 1000) / answered };
}
