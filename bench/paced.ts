import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Sent } from './load.ts';
import { quantile } from './quantile.ts';
import type { Server } from './server.ts';

/** One request of a mix, and a check of its answer. */
export interface CheckedRequest {
  readonly kind: string;
  readonly request: Sent;
  readonly isCorrect: (status: number, text: string) => boolean;
}

/** Answers to one kind of request; times count from when the request was due, not from when it was sent. */
export interface Answered {
  readonly count: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Results of a paced load. */
export interface Paced {
  readonly all: Answered;
  readonly kinds: Readonly<Record<string, Answered>>;
  /** The first wrong answers, and how many there were. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
}

const connections = 64;
const clients = 32;

const toAnswered = (times_ms: readonly number[]): Answered => ({
  count: times_ms.length,
  p50_ms: quantile(times_ms, 0.5),
  p99_ms: quantile(times_ms, 0.99),
});

/** Counts answers by kind of request. */
function createCounts() {
  const times = new Map<string, number[]>();
  const wrong: string[] = [];
  let wrongCount = 0;
  return {
    add(kind: string, problem: string | undefined, took_ms: number): void {
      if (problem !== undefined && ++wrongCount <= 5) wrong.push(`${kind}: ${problem.slice(0, 300)}`);
      const known = times.get(kind);
      if (known) known.push(took_ms);
      else times.set(kind, [took_ms]);
    },
    total: (): Paced => ({
      all: toAnswered([...times.values()].flat()),
      kinds: Object.fromEntries([...times].map(([kind, values]) => [kind, toAnswered(values)])),
      wrong,
      wrongCount,
    }),
  };
}

/** Sends one request; returns what is wrong with the answer, or undefined. */
async function send(pool: Pool, { request, isCorrect }: CheckedRequest): Promise<string | undefined> {
  const { method = 'GET', path = '/', headers = {}, body = null } = request;
  try {
    const { statusCode, body: answer } = await pool.request({ method, path, headers, body });
    const text = await answer.text();
    return isCorrect(statusCode, text) ? undefined : `${statusCode} ${text}`;
  } catch (error) {
    return String(error);
  }
}

/** Sends the requests that are due every millisecond; resolves once all are answered. */
async function sendDue(
  total: number,
  perSecond: number,
  sendAt: (due_ms: number) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const inFlight = new Set<Promise<void>>();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond) + 1);
    for (; sent < due; sent++) {
      const answered = sendAt(started + (sent / perSecond) * 1000);
      inFlight.add(answered);
      void answered.finally(() => inFlight.delete(answered));
    }
    await wait(1);
  }
  await Promise.all(inFlight);
}

/** How fast and how long to send, and from which address if not the usual one. */
export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
  readonly localAddress?: string;
}

/**
 * Sends requests at a steady rate, whether or not the server keeps up. Wrong answers are counted, not thrown.
 */
export async function drivePaced(
  { url }: Pick<Server, 'url'>,
  next: () => CheckedRequest,
  { perSecond, seconds, localAddress }: Pace,
): Promise<Paced> {
  const pool = new Pool(url, { connections, pipelining: 1, ...(localAddress && { localAddress }) });
  const counts = createCounts();
  await sendDue(Math.round(perSecond * seconds), perSecond, async (due_ms) => {
    const request = next();
    counts.add(request.kind, await send(pool, request), performance.now() - due_ms);
  });
  await pool.close();
  return counts.total();
}

/**
 * Answers per second while 32 clients each send the next request after each answer. Throws on a wrong answer.
 */
export async function driveSaturated(
  { url }: Pick<Server, 'url'>,
  next: () => CheckedRequest,
  seconds: number,
): Promise<number> {
  const pool = new Pool(url, { connections: clients, pipelining: 1 });
  const started = performance.now();
  const end = started + seconds * 1000;
  let answered = 0;
  const client = async () => {
    for (; performance.now() < end; answered++) {
      const request = next();
      const problem = await send(pool, request);
      if (problem !== undefined) throw new Error(`${request.kind}: ${problem.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const rate = (answered * 1000) / (performance.now() - started);
  await pool.close();
  return rate;
}
