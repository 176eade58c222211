import { addAbortListener, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { every } from '../core/every.ts';
import { toModuleUrl } from '../core/process.ts';
import { dayText } from '../core/text.ts';
import type { ImportContext } from '../imports/import.ts';
import { type ImportOnce, type ImportOutcome, importOnce } from '../imports/import-once.ts';
import type { ImportRun } from '../imports/import-run.ts';
import { isUnderWay } from '../imports/run.ts';
import { sampleSource } from '../listings/listing.ts';

const firstRetry_s = 30;
/** Short, so that this node soon resumes the import of one that died. */
const busyPause_ms = 2000;
const jitter = 0.1;

export function nextImport_s(interval_s: number, failures: number): number {
  if (failures === 0) return interval_s * (1 - jitter + Math.random() * 2 * jitter);
  return Math.min(interval_s, firstRetry_s * 2 ** Math.min(failures - 1, 20));
}

/** `run` is of any node, so that all nodes together keep the interval. */
function untilDue_s({ config, clock }: ImportContext, run: ImportRun | undefined): number {
  if (!run?.finished_at || run.source === sampleSource) return 0;
  const pause_s =
    run.state === 'failed' ? Math.min(firstRetry_s, config.importInterval_s) : config.importInterval_s;
  const age_s = (clock().getTime() - Date.parse(run.finished_at)) / 1000;
  // An end in the future was dated by a clock that was ahead.
  const rest_s = age_s < 0 ? 0 : pause_s - age_s;
  return rest_s > pause_s * jitter ? Math.min(rest_s, pause_s) : 0;
}

async function warn({ store, log }: ImportContext, error: string | undefined, next_s: number): Promise<void> {
  const { done } = await store.imports.last();
  const shown =
    done?.source === sampleSource
      ? 'still showing the shipped sample'
      : `still showing listings of ${dayText(done?.finished_at ?? '')}`;
  const age = done ? shown : 'no listings yet';
  log.warn(`import did not complete: ${error ?? 'unknown'}; ${age}; next attempt in ${Math.round(next_s)} s`);
}

/** Not while another process imports. */
export async function importSample(context: ImportContext, signal: AbortSignal): Promise<void> {
  if ((await context.store.listings.count()) > 0) return;
  const { officialOrigin } = await import('../imports/source.ts');
  if (context.config.origin.startsWith(officialOrigin))
    await importOnce(context, { signal, source: sampleSource });
}

/** Never throws. Resolves after an abort once the current page is written. */
export async function startImports(
  context: ImportContext,
  signal: AbortSignal,
  run: ImportOnce = importOnce,
): Promise<void> {
  const { config, store, log } = context;
  let isBegun = false;
  let failures = 0;
  await every({
    signal,
    pause_ms: firstRetry_s * 1000,
    async run() {
      if (!isBegun) await importSample(context, signal);
      isBegun = true;
      const isUpgraded = (await store.listings.underived()).length > 0;
      if (config.registryUrl === 'off') {
        // The import derives what an upgraded database lacks before it finds no registry.
        if (isUpgraded) await run(context, { signal });
        return 'ended';
      }
      const { run: last } = await store.imports.last();
      const due_s = failures === 0 && !isUpgraded ? untilDue_s(context, last) : 0;
      if (due_s > 0) return due_s * 1000;
      if (await isUnderWay(store)) return busyPause_ms;
      const { state, error } = await run(context, { signal, dueAfter: { finishedAt: last?.finished_at } });
      if (state === 'running') return 'ended';
      failures = state === 'done' || state === 'busy' ? 0 : failures + 1;
      if (state === 'busy') return busyPause_ms;
      if (state === 'done' && config.registryUrl.startsWith('file:')) return 'ended';
      const next_s = nextImport_s(config.importInterval_s, failures);
      if (failures > 0) await warn(context, error, next_s);
      return next_s * 1000;
    },
    onError(err) {
      isBegun = false;
      failures = 0;
      log.error({ err }, 'imports stopped; retrying in 30 s');
    },
  });
}

/** So that no reader waits for its transactions. Throws if the thread fails. */
export const importInThread: ImportOnce = async (context, attempt) => {
  const { config } = context;
  if (config.databaseUrl === ':memory:') return importOnce(context, attempt);
  let outcome: ImportOutcome = { state: 'running' };
  const workerData = { config, dueAfter: attempt.dueAfter };
  const thread = new Worker(toModuleUrl('./import-worker', import.meta.url), { workerData });
  thread.on('message', (message: ImportOutcome) => {
    outcome = message;
  });
  using _ = addAbortListener(attempt.signal, () => thread.postMessage('stop'));
  await once(thread, 'exit');
  return outcome;
};
