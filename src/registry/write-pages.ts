import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { ImportCounts } from '../evidence/import-run.ts';
import { sampleSource } from '../evidence/listing/state/sample.ts';
import { applyPage } from './apply-page.ts';
import { addCounts } from './counts.ts';
import { endSample } from './end-sample.ts';
import type { Origin } from './entry/signals.ts';
import type { MassChangeGuard } from './mass-change-guard.ts';
import { planPage } from './page-plan.ts';
import { newestKnown, type Run } from './run.ts';
import { saveWithLease } from './run-lease.ts';
import { batchPages, readPages } from './source/pages.ts';
import { type Page, RegistryError, type RegistrySource } from './source/source.ts';

/** What an import may touch. */
export type ImportContext = Pick<Context, 'store' | 'config' | 'log' | 'clock'>;

/** How far a run is. */
export interface ImportProgress {
  readonly counts: ImportCounts;
  /** Rows in the source, if known. */
  readonly total: number | undefined;
}

/** One run and everything that writing its pages needs. */
export interface Import {
  readonly context: ImportContext;
  readonly source: RegistrySource;
  readonly origin: Origin;
  readonly guard: MassChangeGuard;
  /** Whether the list may end before most of what the last full run read. */
  readonly acceptsShorter: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Whether what changes goes into the stream of changes. */
  readonly isRecorded: boolean;
  /** Whether the quarantine may hold entries that this run must release. */
  mayRelease: boolean;
  /** The run after the last page written. */
  run: Run;
}

/** A full walk that ends after less than this share of the rows of the last one is taken for a fault of the registry. */
const leastShare = 0.9;

/**
 * A registry that once leaves out the cursor of the next page ends the list early, without any error. Throws a passing
 * RegistryError: the cursor stays, and the next import asks for the same page again.
 */
function requireWhole({ run, acceptsShorter }: Import, page: Page): void {
  const { kind, expectedRows = 0, counts } = run;
  const rows = counts.rows_seen + page.entries.length;
  if (acceptsShorter || kind !== 'full' || page.nextCursor !== undefined || rows >= leastShare * expectedRows)
    return;
  throw new RegistryError(
    `the list ended after ${rows} entries, and the last full import read ${expectedRows}; if that is right, run: dossier import --full --accept-changes`,
    true,
  );
}

/** The page would withdraw or move listings before the whole run was checked against the 20 % limit. */
class ReviewNeeded extends Error {}

async function writePage(current: Import, page: Page): Promise<void> {
  const { context, guard, origin, run } = current;
  const at = context.clock().toISOString();
  const cursor = page.nextCursor;
  requireWhole(current, page);
  current.run = await context.store.write(async (tx) => {
    if (current.source.name !== sampleSource) await endSample(tx, page, at);
    const plan = await planPage(tx.listings, page.entries, { origin, at, runId: run.id });
    if (plan.affected.length > 0 && guard.mustReview) throw new ReviewNeeded();
    guard.count(plan.affected);
    await applyPage(tx, plan, {
      runId: run.id,
      at,
      mayRelease: current.mayRelease,
      isRecorded: current.isRecorded,
    });
    const progress = {
      counts: addCounts(run.counts, plan.counts),
      newestUpdatedAt: newestKnown(run, plan.updatedAt),
    };
    const end = cursor === undefined ? ({ state: 'done', finished_at: at } as const) : {};
    const isSaved = await saveWithLease(tx, run, { cursor, progress, ...end });
    if (!isSaved) throw new RegistryError('another process has taken this import over', true);
    return { ...run, ...progress, cursor };
  });
  if (current.run.counts.rows_quarantined > 0) current.mayRelease = true;
}

/** Checks the rest of the run against the 20 % limit without writing. Throws MassChangeError. */
async function review({ context, run, source, origin, guard, signal }: Import): Promise<void> {
  const { cursor, updatedSince } = run;
  const at = context.clock().toISOString();
  for await (const { entries } of readPages(source, { cursor, updatedSince, signal })) {
    guard.count((await planPage(context.store.listings, entries, { origin, at, runId: run.id })).affected);
    await setImmediate();
  }
  guard.clear();
}

/**
 * Writes all pages of a run, one transaction each; `run` of the import is up to date after every page. Throws
 * RegistryError, MassChangeError or the signal's reason.
 */
export async function writePages(current: Import): Promise<void> {
  const { source, run, signal, onProgress } = current;
  const { cursor, updatedSince } = run;
  for await (const page of batchPages(readPages(source, { cursor, updatedSince, signal }))) {
    try {
      await writePage(current, page);
    } catch (error) {
      if (!(error instanceof ReviewNeeded)) throw error;
      await review(current);
      await writePage(current, page);
    }
    onProgress?.({ counts: current.run.counts, total: page.total });
    await setImmediate();
  }
}
