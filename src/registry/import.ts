import { setImmediate } from 'node:timers/promises';
import type { ImportCounts, ImportRun } from '../evidence/import-run.ts';
import { sampleSource } from '../evidence/listing/state/sample.ts';
import type { Lease } from '../store/contract/leases.ts';
import { createMassChangeGuard, MassChangeError } from './mass-change-guard.ts';
import { beginRun, type RunStart } from './run.ts';
import { saveWithLease, whileImporting } from './run-lease.ts';
import type { Patience } from './source/client.ts';
import { openSource } from './source/open-source.ts';
import { RegistryError, type RegistrySource } from './source/source.ts';
import { type Import, type ImportContext, type ImportProgress, writePages } from './write-pages.ts';

/** Below this share of all listings, what a run wrote is left to the index to merge as it goes. */
const mergedShare = 0.1;

/** After a run that wrote many listings, merges the search index in small transactions; stops with the signal. */
async function mergeIndex({ context, run, signal }: Import): Promise<void> {
  const { store } = context;
  const written = run.counts.listings_new + run.counts.listings_changed;
  if (written === 0 || written < (await store.listings.count()) * mergedShare) return;
  const mergePart = (isFirst: boolean) => store.write((tx) => tx.listings.mergeIndex(isFirst));
  for (let isMore = await mergePart(true); isMore && !signal?.aborted; isMore = await mergePart(false))
    await setImmediate();
}

export type { ImportContext, ImportProgress } from './write-pages.ts';

/** What to import and how. */
export interface ImportRequest {
  /** A registry's address, `file:path`, a path or `sample`; REGISTRY_URL when absent. */
  readonly source?: string | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Stops the run between two pages; the next import continues it. */
  readonly signal?: AbortSignal | undefined;
  /** Reads all of the source, also where changes would do. */
  readonly isFull?: boolean | undefined;
  /** Accepts changes that the mass-change guard would stop. */
  readonly acceptChanges?: boolean | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** The run after which this import was found due; UnderWayError where another one has ended since. Absent: due anyway. */
  readonly dueAfter?: RunStart['dueAfter'];
}

/** How a run ended; `running` if it was stopped and the next import continues it. */
export interface ImportReport {
  readonly id: number;
  readonly kind: ImportRun['kind'];
  readonly state: ImportRun['state'];
  readonly isResumed: boolean;
  readonly counts: ImportCounts;
  /** Why it failed or was held. The message is ours and quotes nothing of the source. */
  readonly error?: string;
}

async function openImport(
  context: ImportContext,
  request: ImportRequest,
  { source, lease }: { readonly source: RegistrySource; readonly lease: Lease },
): Promise<Import> {
  const { store, config, clock } = context;
  const { done } = await store.imports.last();
  const run = await store.write((tx) =>
    beginRun(tx, source, {
      ...{ lease, at: clock().toISOString() },
      fullInterval_s: config.importFullInterval_s,
      isFull: request.isFull ?? false,
      dueAfter: request.dueAfter,
    }),
  );
  return {
    context,
    source,
    origin: { name: source.origin, ...(source.api && { api: source.api }) },
    guard: createMassChangeGuard(await store.listings.count(), request.acceptChanges ?? false),
    acceptsShorter: request.acceptChanges ?? false,
    isRecorded: done !== undefined && done.source !== sampleSource,
    signal: request.signal,
    onProgress: request.onProgress,
    mayRelease: (await store.imports.quarantined(1)).length > 0,
    run,
  };
}

/** Saves how a run ended that threw `error`. Throws any error that is neither the source's nor the guard's. */
async function endRun({ context, run, signal }: Import, error: unknown): Promise<ImportReport['state']> {
  if (signal?.aborted) {
    return 'running';
  }
  if (!(error instanceof RegistryError || error instanceof MassChangeError)) throw error;
  const state = error instanceof MassChangeError ? 'held' : 'failed';
  const keepsCursor = error instanceof RegistryError && error.isPassing;
  await context.store.write((tx) =>
    saveWithLease(tx, run, {
      state,
      finished_at: context.clock().toISOString(),
      error: error.message,
      ...(!keepsCursor && { cursor: undefined }),
    }),
  );
  return state;
}

async function runToEnd(current: Import): Promise<Pick<ImportReport, 'state' | 'error'>> {
  try {
    await writePages(current);
    await mergeIndex(current);
    return { state: 'done' };
  } catch (error) {
    const state = await endRun(current, error);
    return state === 'running' ? { state } : { state, error: (error as Error).message };
  }
}

async function importOpened(current: Import): Promise<ImportReport> {
  const { log } = current.context;
  const { id, kind, isResumed } = current.run;
  log.info({ run: id, kind, source: current.source.name, isResumed }, 'import started');
  const end = await runToEnd(current);
  const { counts } = current.run;
  log.info({ run: id, state: end.state, ...counts }, 'import ended');
  return { id, kind, isResumed, counts, ...end };
}

/**
 * Imports a registry or a saved copy: everything once and again after IMPORT_FULL_INTERVAL, in between what changed. Each page is one transaction with its rows,
 * the cursor and the counts, so that an interrupted run loses and repeats nothing. Rows that did not change are not
 * written again; listings missing from the source are not deleted. Throws RegistryError if the source cannot be opened
 * and UnderWayError while any process imports into this store; any other source failure is reported in
 * ImportReport.error.
 */
export async function runImport(context: ImportContext, request: ImportRequest = {}): Promise<ImportReport> {
  const { store, config } = context;
  const source = await openSource(request.source ?? config.registryUrl, config, request.patience);
  return whileImporting(store, async (lease) =>
    importOpened(await openImport(context, request, { source, lease })),
  );
}
