import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

const probeEvery_ms = 20;
const stop_ms = 100;

/** Times when a server did not answer. */
export interface Stops {
  /** How often an answer of /healthz took more than 100 ms, or did not come. */
  readonly stops: number;
  readonly longestStop_ms: number;
}

/**
 * Whether /healthz answered. It does not where a held-up process used a connection that was closed meanwhile.
 */
const ask = (pool: Pool): Promise<boolean> =>
  pool
    .request({ method: 'GET', path: '/healthz' })
    .then(({ body }) => body.dump())
    .then(
      () => true,
      () => false,
    );

/**
 * Asks for /healthz 20 ms after each answer, until the signal: one stop of the server is one slow answer,
 * however long it is. Where the load's own process is held up, that counts too.
 */
export async function watchStops(url: string, stopped: AbortSignal): Promise<Stops> {
  const pool = new Pool(url, { connections: 1 });
  let stops = 0;
  let longestStop_ms = 0;
  while (!stopped.aborted) {
    const began_ms = performance.now();
    const isAnswered = await ask(pool);
    const took_ms = performance.now() - began_ms;
    if (!isAnswered || took_ms > stop_ms) stops += 1;
    longestStop_ms = Math.max(longestStop_ms, took_ms);
    await wait(probeEvery_ms);
  }
  await pool.close();
  return { stops, longestStop_ms };
}
