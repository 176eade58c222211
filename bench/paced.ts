import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Sent } from './load.ts';
import { median } from './rounds.ts';
import type { Server } from './server.ts';

/** One request among others, and whether an answer to it is right. */
export interface Asked {
  readonly kind: string;
  readonly request: Sent;
  readonly isRight: (status: number, text: string) => boolean;
}

/** How a kind of request was answered; times count from when it was due, not from when it could be sent. */
export interface Answered {
  readonly count: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** What came of a paced load. */
export interface Paced {
  readonly all: Answered;
  readonly kinds: Readonly<Record<string, Answered>>;
  /** The first wrong answers, and how many there were. */
  readonly wrong: readonly string[];
  readonly wrongCount: number;
}

const connections = 64;
const clients = 32;

function toAnswered(times_ms: readonly number[]): Answered {
  const sorted = times_ms.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50_ms: median(sorted),
    p99_ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  };
}

/** What was asked and how it was answered, counted. */
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

/** Sends one and answers what is wrong with its answer; nothing where it is right. */
async function ask(pool: Pool, { request, isRight }: Asked): Promise<string | undefined> {
  const { method = 'GET', path = '/', headers = {}, body = null } = request;
  try {
    const { statusCode, body: answer } = await pool.request({ method, path, headers, body });
    const text = await answer.text();
    return isRight(statusCode, text) ? undefined : `${statusCode} ${text}`;
  } catch (error) {
    return String(error);
  }
}

/** Sends what is due every millisecond until all of it is sent, and waits for it. */
async function sendDue(
  total: number,
  perSecond: number,
  send: (due_ms: number) => Promise<void>,
): Promise<void> {
  const started = performance.now();
  const inFlight = new Set<Promise<void>>();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond) + 1);
    for (; sent < due; sent++) {
      const answered = send(started + (sent / perSecond) * 1000);
      inFlight.add(answered);
      void answered.finally(() => inFlight.delete(answered));
    }
    await wait(1);
  }
  await Promise.all(inFlight);
}

/** Asks at a steady rate, whether the server keeps up or not; never throws for an answer, it is counted as wrong. */
export async function drivePaced(
  { url }: Pick<Server, 'url'>,
  next: () => Asked,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Paced> {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const counts = createCounts();
  await sendDue(Math.round(perSecond * seconds), perSecond, async (due_ms) => {
    const asked = next();
    counts.add(asked.kind, await ask(pool, asked), performance.now() - due_ms);
  });
  await pool.close();
  return counts.total();
}

/** Answers a second when 32 clients each ask again as soon as they are answered. Throws for a wrong answer. */
export async function driveSaturated(
  { url }: Pick<Server, 'url'>,
  next: () => Asked,
  seconds: number,
): Promise<number> {
  const pool = new Pool(url, { connections: clients, pipelining: 1 });
  const started = performance.now();
  const end = started + seconds * 1000;
  let answered = 0;
  const client = async () => {
    for (; performance.now() < end; answered++) {
      const asked = next();
      const problem = await ask(pool, asked);
      if (problem !== undefined) throw new Error(`${asked.kind}: ${problem.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const rate = (answered * 1000) / (performance.now() - started);
  await pool.close();
  return rate;
}
