import type { ImportRun, RunProgress } from '../evidence/import-run.ts';
import type { Lease } from '../store/lease.ts';
import type { Store, Transaction } from '../store/store.ts';
import { createCounts } from './counts.ts';
import { heldBy, isUnderWay, UnderWayError } from './run-lease.ts';
import type { RegistrySource } from './source/source.ts';

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

const toRun = (run: ImportRun, lease: Lease, isResumed: boolean): Run => ({
  ...run.progress,
  id: run.id,
  kind: run.kind,
  startedAt: run.started_at,
  updatedSince: run.updated_since,
  cursor: run.cursor,
  isResumed,
  lease,
});

/** An interrupted run is resumed; so is one that failed for a reason that may pass, which keeps its cursor. */
const isResumable = (run: ImportRun | undefined): run is ImportRun =>
  run?.state === 'running' || (run?.state === 'failed' && run.cursor !== undefined);

/** Changes are requested from the newest known one on, with an overlap for clock differences and late commits. */
function toUpdatedSince(done: ImportRun | undefined, source: RegistrySource) {
  const newest = done && source.isIncremental ? done.progress.newestUpdatedAt : undefined;
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
      finished_at: undefined,
      error: undefined,
      ...heldBy(lease, at),
    });
    return toRun(run, lease, true);
  }
  const since = toUpdatedSince(done, source);
  const begun: Omit<ImportRun, 'id'> = {
    kind: since ? 'incremental' : 'full',
    source: source.name,
    state: 'running',
    started_at: at,
    updated_since: since?.updatedSince,
    progress: { counts: createCounts(), newestUpdatedAt: since?.newest },
    ...heldBy(lease, at),
  };
  return toRun({ ...begun, id: await tx.imports.startRun(begun) }, lease, false);
}

/** The newest of the known and these times, ignoring any after the start of the run: a time in the future would hide changes. */
export const newestKnown = (run: Run, updatedAt: readonly string[]): string | undefined =>
  [...updatedAt, ...(run.newestUpdatedAt ? [run.newestUpdatedAt] : [])]
    .filter((time) => time <= run.startedAt)
    .sort()
    .at(-1);
