import type { Lease } from '../store/lease.ts';
import type { ImportRun, Store, Transaction } from '../store/store.ts';
import { createCounts, type RunProgress, readProgress, toCountsJson } from './counts.ts';
import { heldBy, isUnderWay, UnderWayError } from './run-lease.ts';
import type { RegistrySource } from './source.ts';

const overlap_ms = 10 * 60_000;

/** A run under way, as it was begun or found. */
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

/** A run that was cut off goes on; so does one that failed for a passing reason, which kept its cursor. */
const isResumable = (run: ImportRun | undefined): run is ImportRun =>
  run?.state === 'running' || (run?.state === 'failed' && run.cursor !== null);

/** Changes are asked for from the newest one known on, with an overlap for clocks and late commits. */
function toUpdatedSince(done: ImportRun | undefined, source: RegistrySource) {
  const newest = done && source.isIncremental ? readProgress(done.counts).newestUpdatedAt : undefined;
  if (!newest) return undefined;
  return { newest, updatedSince: new Date(Date.parse(newest) - overlap_ms).toISOString() };
}

/**
 * Takes up the source's last run where it stopped, or begins one: incremental after a good one, else full. Throws
 * UnderWayError while anybody works on a run of any source.
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

/** The newest of the known and these times that is not after the run's start: a future one freezes nothing. */
export const newestKnown = (run: Run, updatedAt: readonly string[]): string | undefined =>
  [...updatedAt, ...(run.newestUpdatedAt ? [run.newestUpdatedAt] : [])]
    .filter((time) => time <= run.startedAt)
    .sort()
    .at(-1);
