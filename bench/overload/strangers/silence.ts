import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

const every_ms = 50;

/** The longest time in which a service did not answer /healthz. */
export interface Silence {
  readonly silent_s: number;
  /** How much of it the thread that serves was running; the rest it waited for the machine. */
  readonly running_s: number;
}

/** Processor time of the thread that serves; 0 where the system does not report it. */
function running_ms(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/**
 * Asks for /healthz again and again until the signal; a request that fails ends when the next one is
 * answered.
 */
export async function watchSilence(
  { url, pid }: { readonly url: string; readonly pid: number },
  stopped: AbortSignal,
): Promise<{ readonly longest: Silence; readonly most: Silence }> {
  const pool = new Pool(url, { connections: 1, headersTimeout: 300_000 });
  const none: Silence = { silent_s: 0, running_s: 0 };
  let longest = none;
  let most = none;
  let began_ms = performance.now();
  let ran_ms = running_ms(pid);
  while (!stopped.aborted) {
    const isAnswered = await pool.request({ method: 'GET', path: '/healthz', signal: stopped }).then(
      async ({ body }) => body.dump().then(() => true),
      () => false,
    );
    const one = {
      silent_s: (performance.now() - began_ms) / 1000,
      running_s: (running_ms(pid) - ran_ms) / 1000,
    };
    if (one.silent_s > longest.silent_s) longest = one;
    if (one.running_s > most.running_s) most = one;
    await wait(every_ms);
    if (!isAnswered) continue;
    began_ms = performance.now();
    ran_ms = running_ms(pid);
  }
  await pool.destroy();
  return { longest, most };
}
