import { sampleOrigin, sampleSource } from '../listings/listing.ts';
import type { Lease, Store, Transaction } from '../store/store.ts';
import { type ImportRun, RegistryError, type RunProgress, zeroImportCounts } from './import-run.ts';
import type { RegistrySource } from './source.ts';

/** Whoever holds this lease is the only one that imports, from whatever source. */
export const importLease = 'import';

/** Another import into the same store is running; the caller may try again later. */
export class UnderWayError extends RegistryError {
  constructor() {
    super('an import is already under way', true);
  }
}

/** What is known of the import that runs, or of one whose node died; undefined if neither is the case. */
export const findImportLease = ({ leases }: Pick<Store, 'leases'>) => leases.find(importLease);

/** Whether any process imports into this store. */
export const isUnderWay = async (store: Pick<Store, 'leases'>): Promise<boolean> =>
  (await findImportLease(store))?.isHeld ?? false;

/**
 * Saves a change of a run whose lease is still ours. Returns false, and saves nothing, once another node took
 * it over.
 */
export async function saveWithLease(
  tx: Transaction,
  run: Pick<Run, 'id' | 'lease'>,
  change: Partial<Omit<ImportRun, 'id'>>,
): Promise<boolean> {
  if (!(await tx.leases.isHeldBy(run.lease))) return false;
  await tx.imports.saveRun(run.id, change);
  return true;
}

const overlap_ms = 10 * 60_000;

/** A run in progress, new or resumed. */
export type Run = ReturnType<typeof toRun>;

/**
 * `expectedRows` are those that the last full run of this source read; undefined if that says nothing about
 * this one.
 */
const toRun = (
  { progress, ...run }: ImportRun,
  more: { lease: Lease; isResumed: boolean; expectedRows: number | undefined },
) => ({ ...run, ...progress, ...more });

/**
 * An interrupted run is resumed; so is one that failed for a reason that may pass, which keeps its cursor.
 * One of changes is not if all of the source is asked for.
 */
const isResumable = (run: ImportRun | undefined, isFull: boolean): run is ImportRun =>
  (run?.state === 'running' || (run?.state === 'failed' && run.cursor !== undefined)) &&
  (!isFull || run.kind === 'full');

/** Whether all of a source is read again: what one run of changes missed, no later one finds. */
function isFullDue(lastFull: ImportRun | undefined, { at, fullInterval_s }: RunStart): boolean {
  const age_ms = Date.parse(at) - Date.parse(lastFull?.finished_at ?? '');
  return !(age_ms >= 0 && age_ms < fullInterval_s * 1000);
}

/** Ends an interrupted run of changes that a run of all of the source takes the place of. */
async function replace(tx: Transaction, run: ImportRun | undefined, at: string): Promise<void> {
  if (run?.state !== 'running') return;
  const error = 'replaced by a full import';
  await tx.imports.saveRun(run.id, { state: 'failed', finished_at: at, cursor: undefined, error });
}

/** How a run is begun. */
export interface RunStart {
  readonly lease: Lease;
  /** RFC 3339 UTC. */
  readonly at: string;
  /** After this time all of the source is read again. */
  readonly fullInterval_s: number;
  /** Reads all of the source now. */
  readonly isFull: boolean;
  /**
   * The run after which this one was found due, by the time it ended (RFC 3339; undefined: none had ended).
   */
  readonly dueAfter?: { readonly finishedAt: string | undefined } | undefined;
}

/** Whether another run has ended since this one was found due: its node was quicker. */
async function isTaken(tx: Transaction, { dueAfter }: RunStart): Promise<boolean> {
  if (!dueAfter) return false;
  const { run } = await tx.imports.last();
  return run?.finished_at !== undefined && run.finished_at !== dueAfter.finishedAt;
}

/**
 * Changes are requested from the newest known one on, with an overlap for clock differences and late commits.
 */
function toUpdatedSince(done: ImportRun | undefined, source: RegistrySource) {
  const newest = done && source.isIncremental ? done.progress.newestUpdatedAt : undefined;
  if (!newest) return undefined;
  return { newest, updatedSince: new Date(Date.parse(newest) - overlap_ms).toISOString() };
}

/** What the origins have recorded until now, without the sample once something else is read. */
async function readRecorded(tx: Transaction, source: RegistrySource): Promise<RunProgress['recorded']> {
  const { run } = await tx.imports.last();
  const recorded = Object.entries(run?.progress.recorded ?? {});
  return Object.fromEntries(
    recorded.filter(([origin]) => source.name === sampleSource || origin !== sampleOrigin),
  );
}

/**
 * Resumes the source's last run, or begins a new one: incremental after one that completed, full if none did,
 * none of the last days was full, or that is asked for. Throws UnderWayError if a run of any source has ended
 * since this one was found due.
 */
export async function beginRun(tx: Transaction, source: RegistrySource, start: RunStart): Promise<Run> {
  const { lease, at, isFull } = start;
  if (await isTaken(tx, start)) throw new UnderWayError();
  const { run, done } = await tx.imports.last(source.name);
  const lastFull = await tx.imports.lastFull(source.name);
  const expectedRows = source.isIncremental ? lastFull?.progress.counts.rows_seen : undefined;
  if (isResumable(run, isFull)) {
    await tx.imports.saveRun(run.id, { state: 'running', finished_at: undefined, error: undefined });
    return toRun(run, { lease, isResumed: true, expectedRows });
  }
  await replace(tx, run, at);
  const since = isFull || isFullDue(lastFull, start) ? undefined : toUpdatedSince(done, source);
  const begun: Omit<ImportRun, 'id'> = {
    kind: since ? 'incremental' : 'full',
    source: source.name,
    state: 'running',
    started_at: at,
    updated_since: since?.updatedSince,
    progress: {
      counts: zeroImportCounts,
      newestUpdatedAt: since?.newest,
      recorded: await readRecorded(tx, source),
    },
  };
  const id = await tx.imports.startRun(begun);
  return toRun({ ...begun, id }, { lease, isResumed: false, expectedRows });
}

/**
 * The newest of the known and these times, ignoring any after the start of the run: a time in the future
 * would hide changes.
 */
export const newestKnown = (run: Run, updatedAt: readonly string[]): string | undefined =>
  [...updatedAt, ...(run.newestUpdatedAt ? [run.newestUpdatedAt] : [])]
    .filter((time) => time <= run.started_at)
    .sort()
    .at(-1);
