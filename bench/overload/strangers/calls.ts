import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Sent } from '../../load.ts';

/** The service under attack. */
export interface Target {
  readonly url: string;
  readonly databaseUrl: string;
  /** How long to attack. */
  readonly seconds: number;
}

/** Requests of strangers: all that their limits let through. */
export interface Calls {
  readonly requests: readonly Sent[];
  readonly networks: readonly string[];
  readonly atOnce: number;
  readonly perSecond: number;
}

/** A POST of JSON. */
export const post = (path: string, body: object | string): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/**
 * So many requests at once, and then so many a second, each from the next network; how many had each answer.
 */
export async function send({ url, seconds }: Target, calls: Calls): Promise<string> {
  const { requests, networks, atOnce, perSecond } = calls;
  const pool = new Pool(url, { connections: 256, headersTimeout: 120_000, bodyTimeout: 120_000 });
  const counts = new Map<string, number>();
  let sent = 0;
  const one = async () => {
    const { method = 'GET', path = '/', headers = {}, body = null } = requests[sent % requests.length] ?? {};
    const network = networks[sent++ % networks.length] ?? '';
    const answer = await pool
      .request({ method, path, body, headers: { ...headers, 'x-forwarded-for': network } })
      .then(async (response) => {
        await response.body.dump();
        return String(response.statusCode);
      })
      .catch((error: NodeJS.ErrnoException) => error.code ?? error.name);
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  };
  for (let count = 0; count < atOnce; count++) void one();
  for (let count = 0; count < seconds * perSecond; count++) {
    await wait(1000 / perSecond);
    void one();
  }
  return [...counts].map(([answer, count]) => `${count} x ${answer}`).join(', ');
}
