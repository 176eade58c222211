import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { Lease } from '../store/lease.ts';
import type { ImportRun } from '../store/store.ts';
import { applyPage } from './apply-page.ts';
import type { Patience } from './client.ts';
import { addCounts, type ImportCounts, toCountsJson } from './counts.ts';
import { createMassChangeGuard, MassChangeError, type MassChangeGuard } from './mass-change-guard.ts';
import { openSource } from './open-source.ts';
import { planPage } from './page-plan.ts';
import { gatherPages, walkPages } from './pages.ts';
import { beginRun, newestKnown, type Run } from './run.ts';
import { heldBy, keepLease, released, saveWithLease } from './run-lease.ts';
import type { Origin } from './signals.ts';
import { type Page, RegistryError, type RegistrySource } from './source.ts';

export type { ImportCounts } from './counts.ts';

/** What an import touches. */
export type ImportContext = Pick<Context, 'store' | 'config' | 'log' | 'clock'>;

/** How far a run is. */
export interface ImportProgress {
  readonly counts: ImportCounts;
  /** Rows the source holds, where that is known. */
  readonly total: number | undefined;
}

/** What to import and how. */
export interface ImportRequest {
  /** A registry's address, `file:path`, a path or `sample`; REGISTRY_URL when absent. */
  readonly source?: string | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Stops between two pages; the next run goes on there. */
  readonly signal?: AbortSignal | undefined;
  /** Does what would otherwise be held. */
  readonly acceptChanges?: boolean | undefined;
  readonly patience?: Partial<Patience> | undefined;
  /** The lease to work under; one of the store's own when absent. */
  readonly lease?: Lease | undefined;
}

/** How a run ended; `running` where it was stopped and will go on. */
export interface ImportReport {
  readonly id: number;
  readonly kind: ImportRun['kind'];
  readonly state: ImportRun['state'];
  readonly isResumed: boolean;
  readonly counts: ImportCounts;
  /** Why it failed or was held, in our own words. */
  readonly error?: string;
}

/** One run and what its pages need. */
interface Walk {
  readonly context: ImportContext;
  readonly request: ImportRequest;
  readonly source: RegistrySource;
  readonly origin: Origin;
  readonly guard: MassChangeGuard;
  mayRelease: boolean;
  run: Run;
}

/** A page would harm listings and the rest of the walk was not looked at yet. */
class ReviewNeeded extends Error {}

async function importPage(walk: Walk, page: Page): Promise<void> {
  const { context, guard, origin, run } = walk;
  const at = context.clock().toISOString();
  const cursor = page.nextCursor ?? null;
  walk.run = await context.store.write(async (tx) => {
    const plan = await planPage(tx.listings, page.entries, { origin, at });
    if (plan.affected.length > 0 && guard.mustReview) throw new ReviewNeeded();
    guard.count(plan.affected);
    await applyPage(tx, plan, { runId: run.id, at, mayRelease: walk.mayRelease });
    const counts = addCounts(run.counts, plan.counts);
    const next: Run = {
      ...run,
      counts,
      newestUpdatedAt: newestKnown(run, plan.updatedAt),
      cursor: page.nextCursor,
    };
    const end =
      cursor === null ? ({ state: 'done', finished_at: at, ...released } as const) : heldBy(run.lease, at);
    const saved = await saveWithLease(tx, run, { cursor, counts: toCountsJson(next), ...end });
    if (!saved) throw new RegistryError('another process has taken this import over', true);
    return next;
  });
  if (walk.run.counts.rows_quarantined > 0) walk.mayRelease = true;
}

/** Reads on to the end without writing; throws MassChangeError where the rest of the walk harms too much. */
async function review({ context, run, source, origin, guard, request: { signal } }: Walk): Promise<void> {
  const { cursor, updatedSince } = run;
  const at = context.clock().toISOString();
  for await (const { entries } of walkPages(source, { cursor, updatedSince, signal })) {
    guard.count((await planPage(context.store.listings, entries, { origin, at })).affected);
    await setImmediate();
  }
  guard.clear();
}

async function importPages(walk: Walk): Promise<void> {
  const { source, request, run } = walk;
  const { signal, onProgress } = request;
  for await (const page of gatherPages(walkPages(source, { ...run, signal }))) {
    try {
      await importPage(walk, page);
    } catch (error) {
      if (!(error instanceof ReviewNeeded)) throw error;
      await review(walk);
      await importPage(walk, page);
    }
    onProgress?.({ counts: walk.run.counts, total: page.total });
    await setImmediate();
  }
}

async function endRun({ context, run, request }: Walk, error: unknown): Promise<ImportReport['state']> {
  if (request.signal?.aborted) {
    await context.store.write((tx) => saveWithLease(tx, run, released));
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
      ...(!keepsCursor && { cursor: null }),
      ...released,
    }),
  );
  return state;
}

async function openWalk(context: ImportContext, request: ImportRequest, lease: Lease): Promise<Walk> {
  const { store, config, clock } = context;
  const source = await openSource(request.source ?? config.registryUrl, config, request.patience);
  const run = await store.write((tx) => beginRun(tx, source, { lease, at: clock().toISOString(), store }));
  return {
    context,
    request,
    source,
    origin: { name: source.origin, ...(source.api && { api: source.api }) },
    guard: createMassChangeGuard(await store.listings.count(), request.acceptChanges ?? false),
    mayRelease: (await store.imports.quarantined(1)).length > 0,
    run,
  };
}

async function importWithLease(
  context: ImportContext,
  request: ImportRequest,
  lease: Lease,
): Promise<ImportReport> {
  const { log } = context;
  const walk = await openWalk(context, request, lease);
  const stopRenewing = keepLease(context, walk.run);
  const { id, kind, isResumed } = walk.run;
  log.info({ run: id, kind, source: walk.source.name, isResumed }, 'import started');
  let failure: unknown;
  const state = await importPages(walk)
    .then(
      () => 'done' as const,
      (error: unknown) => {
        failure = error;
        return endRun(walk, error);
      },
    )
    .finally(stopRenewing);
  const { counts } = walk.run;
  log.info({ run: id, state, ...counts }, 'import ended');
  const error = state === 'failed' || state === 'held' ? (failure as Error).message : undefined;
  return { id, kind, state, isResumed, counts, ...(error && { error }) };
}

/**
 * Imports from a registry or a saved copy: all of it once, then what changed since. Every page is one transaction that
 * holds its rows, the cursor and the counts, so a run that is cut off loses and repeats nothing. What is already known
 * is not written again; what is absent is not deleted. Throws RegistryError where the source cannot be opened, and
 * UnderWayError where anybody, in whatever process, imports into this store; whatever else befalls the source is in the report.
 */
export async function runImport(context: ImportContext, request: ImportRequest = {}): Promise<ImportReport> {
  const lease = request.lease ?? context.store.leases.take();
  try {
    return await importWithLease(context, request, lease);
  } finally {
    lease.end();
  }
}
