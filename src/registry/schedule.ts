import { setTimeout as wait } from 'node:timers/promises';
import type { ImportContext, ImportReport } from './import.ts';
import { isUnderWay, UnderWayError } from './lease.ts';
import { sampleOrigin, sampleSource } from './open-source.ts';
import { RegistryError } from './source.ts';

const firstRetry_s = 30;
/** Before looking again whether another process still imports: what one left behind goes on within seconds. */
const busyPause_ms = 2000;
const jitter = 0.1;
/** Timers hold no more. */
const longestWait_ms = 2 ** 31 - 1;

/** How a try ended; `busy` where another process imports. */
export interface Outcome {
  readonly state: ImportReport['state'] | 'busy';
  readonly error?: string;
}

/** Seconds until the next import: the interval after a good one, else 30 s doubled with every failure up to it. */
export function nextImport_s(interval_s: number, failures: number): number {
  if (failures === 0) return interval_s * (1 - jitter + Math.random() * 2 * jitter);
  return Math.min(interval_s, firstRetry_s * 2 ** Math.min(failures - 1, 20));
}

/** Imports once from a source; from REGISTRY_URL where none is said. Never throws for the registry's sake. */
export type ImportOnce = (context: ImportContext, signal: AbortSignal, source?: string) => Promise<Outcome>;

/** Imports once, here and now: whoever shares the thread waits for each transaction of it. */
export const importOnce: ImportOnce = async (context, signal, source) => {
  try {
    // Most of what an import needs is in the way of a node that has none to do.
    const { runImport } = await import('./import.ts');
    return await runImport(context, { source, signal });
  } catch (error) {
    if (signal.aborted) return { state: 'running' };
    if (error instanceof UnderWayError) return { state: 'busy' };
    if (error instanceof RegistryError) return { state: 'failed', error: error.message };
    context.log.error({ err: error }, 'import failed on our side');
    return { state: 'failed', error: 'it failed on our side' };
  }
};

/** Seconds until an import is due, so that all nodes together ask the registry no more often than the interval says. */
async function untilDue_s({ store, config, clock }: ImportContext): Promise<number> {
  const { run } = await store.imports.last();
  if (!run?.finished_at || run.source === sampleSource) return 0;
  const pause_s =
    run.state === 'failed' ? Math.min(firstRetry_s, config.importInterval_s) : config.importInterval_s;
  const rest_s = pause_s - (clock().getTime() - Date.parse(run.finished_at)) / 1000;
  return rest_s > pause_s * jitter ? Math.min(rest_s, pause_s) : 0;
}

/** Waits while another process imports. */
async function untilFree({ store, clock }: ImportContext, signal: AbortSignal): Promise<void> {
  do await wait(busyPause_ms, undefined, { signal, ref: false });
  while (await isUnderWay(store.imports, clock().toISOString(), store));
}

async function warn({ store, log }: ImportContext, error: string | undefined, next_s: number): Promise<void> {
  const { done } = await store.imports.last();
  const known =
    done?.source === sampleSource
      ? 'the shipped sample stays'
      : `listings stay as of ${done?.finished_at?.slice(0, 10)}`;
  const age = done ? known : 'no listings yet';
  log.warn(`import did not complete: ${error ?? 'unknown'}; ${age}; next try in ${Math.round(next_s)} s`);
}

async function keepImporting(context: ImportContext, signal: AbortSignal, run: ImportOnce): Promise<void> {
  const { registryUrl, importInterval_s } = context.config;
  let pause_s = await untilDue_s(context);
  for (let failures = 0; ; ) {
    await wait(Math.min(pause_s * 1000, longestWait_ms), undefined, { signal, ref: false });
    const rest_s = failures === 0 ? await untilDue_s(context) : 0;
    if (rest_s > 0) {
      pause_s = rest_s;
      continue;
    }
    const { state, error } = await run(context, signal);
    if (state === 'running') return;
    if (state === 'busy') {
      await untilFree(context, signal);
      pause_s = await untilDue_s(context);
      continue;
    }
    if (state === 'done' && registryUrl.startsWith('file:')) return;
    failures = state === 'done' ? 0 : failures + 1;
    pause_s = nextImport_s(importInterval_s, failures);
    if (failures > 0) await warn(context, error, pause_s);
  }
}

/** Imports the shipped sample where there are no listings and the origin is the sample's; another process may be at it. */
export async function importSample(context: ImportContext, signal: AbortSignal): Promise<void> {
  const isEmpty = (await context.store.listings.count()) === 0;
  if (isEmpty && context.config.origin === sampleOrigin) await importOnce(context, signal, sampleSource);
}

/**
 * Keeps the listings fresh until the signal: the shipped sample where it is needed, then REGISTRY_URL at once, every
 * IMPORT_INTERVAL (+-10 %) and, after a failure, sooner with growing pauses. A saved copy is read once. While another
 * process imports it waits quietly, and while the store fails it tries again. Never throws; ends once the page under
 * way is written. `run` imports from REGISTRY_URL.
 */
export async function startImports(
  context: ImportContext,
  signal: AbortSignal,
  run: ImportOnce = importOnce,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await importSample(context, signal);
      if (context.config.registryUrl !== 'off') await keepImporting(context, signal, run);
      return;
    } catch (error) {
      if (signal.aborted) return;
      context.log.error({ err: error }, 'imports stopped; they begin again in half a minute');
      await wait(firstRetry_s * 1000, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
