import type { Lease } from '../store/lease.ts';
import type { ImportRun, Store, Transaction } from '../store/store.ts';
import { createCounts, type RunProgress, readProgress, toCountsJson } from './counts.ts';
import { heldBy, isUnderWay, UnderWayError } from './run-lease.ts';
import type { RegistrySource } from './source.ts';

const overlap_ms = 10 * 60_000;

/** A run in progress, new or resumed. */
export interface Run extends RunProgress {
  readonly id: number;
  readonly kind: ImportRun['kind'];
  readonly startedAt: string;
  readonly updatedSince: string | undefined;
  readonly cursor: string | undefined;
  readonly isResumed: boolean;
  readonly lease: Lease;
}

const toRun = (row: ImportRun, lease: Lease, isResumed: boolean): Run => ({
  ...readProgress(row.counts),
  id: row.id,
  kind: row.kind,
  startedAt: row.started_at,
  updatedSince: row.updated_since ?? undefined,
  cursor: row.cursor ?? undefined,
  isResumed,
  lease,
});

/** An interrupted run is resumed; so is one that failed for a reason that may pass, which keeps its cursor. */
const isResumable = (run: ImportRun | undefined): run is ImportRun =>
  run?.state === 'running' || (run?.state === 'failed' && run.cursor !== null);

/** Changes are requested from the newest known one on, with an overlap for clock differences and late commits. */
function toUpdatedSince(done: ImportRun | undefined, source: RegistrySource) {
  const newest = done && source.isIncremental ? readProgress(done.counts).newestUpdatedAt : undefined;
  if (!newest) return undefined;
  return { newest, updatedSince: new Date(Date.parse(newest) - overlap_ms).toISOString() };
}

/**
 * Resumes the source's last run, or begins a new one: incremental after one that completed, else full. Throws
 * UnderWayError while a node works on a run of any source.
 */
export async function beginRun(
  tx: Transaction,
  source: RegistrySource,
  { lease, at, store }: { readonly lease: Lease; readonly at: string; readonly store: Store },
): Promise<Run> {
  if (await isUnderWay(tx.imports, at, store)) throw new UnderWayError();
  const { run, done } = await tx.imports.last(source.name);
  if (isResumable(run)) {
    await tx.imports.saveRun(run.id, {
      state: 'running',
      finished_at: null,
      error: null,
      ...heldBy(lease, at),
    });
    return toRun(run, lease, true);
  }
  const since = toUpdatedSince(done, source);
  const row: Omit<ImportRun, 'id'> = {
    kind: since ? 'incremental' : 'full',
    source: source.name,
    state: 'running',
    started_at: at,
    finished_at: null,
    updated_since: since?.updatedSince ?? null,
    cursor: null,
    counts: toCountsJson({ counts: createCounts(), newestUpdatedAt: since?.newest }),
    error: null,
    ...heldBy(lease, at),
  };
  return toRun({ ...row, id: await tx.imports.startRun(row) }, lease, false);
}

/** The newest of the known and these times, ignoring any after the start of the run: a time in the future would hide changes. */
export const newestKnown = (run: Run, updatedAt: readonly string[]): string | undefined =>
  [...updatedAt, ...(run.newestUpdatedAt ? [run.newestUpdatedAt] : [])]
    .filter((time) => time <= run.startedAt)
    .sort()
    .at(-1);
