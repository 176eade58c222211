import { sampleOrigin, sampleSource } from '../listings/listing.ts';
import type { Lease, Store } from '../store/store.ts';
import { type ImportRun, RegistryError, zeroImportCounts } from './import-run.ts';
import type { ImportTransaction } from './schema.ts';
import type { RegistrySource } from './source.ts';

/** For all sources, so that one process imports. */
export const importLease = 'import';

/** Another import runs, or has ended since this one was due. */
export class UnderWayError extends RegistryError {
  constructor() {
    super('an import is already under way', true);
  }
}

/** Even if its node died. */
export const findImportLease = ({ leases }: Pick<Store, 'leases'>) => leases.find(importLease);

export const isUnderWay = async (store: Pick<Store, 'leases'>): Promise<boolean> =>
  (await findImportLease(store))?.isHeld ?? false;

/** False, without saving, if the lease is lost. */
export async function saveWithLease(
  tx: ImportTransaction,
  run: Pick<RunImport, 'id' | 'lease'>,
  change: Partial<Omit<ImportRun, 'id'>>,
): Promise<boolean> {
  if (!(await tx.leases.isHeldBy(run.lease))) return false;
  await tx.imports.saveRun(run.id, change);
  return true;
}

const overlap_ms = 10 * 60_000;

export type RunImport = ReturnType<typeof toRun>;

/** `expectedRows`: by the source's last full run, if it lists changes. */
const toRun = (
  { progress, ...run }: ImportRun,
  more: { lease: Lease; isResumed: boolean; expectedRows: number | undefined },
) => ({ ...run, ...progress, ...more });

/** A failed run has a cursor only if the fault may pass. */
const isResumable = ({ state, cursor, kind }: ImportRun, isFull: boolean): boolean =>
  (state === 'running' || (state === 'failed' && cursor !== undefined)) && (!isFull || kind === 'full');

/** Incremental runs do not find what an earlier one missed. */
function isFullDue(lastFull: ImportRun | undefined, { at, fullInterval_s }: RunStart): boolean {
  const age_ms = Date.parse(at) - Date.parse(lastFull?.finished_at ?? '');
  return !(age_ms >= 0 && age_ms < fullInterval_s * 1000);
}

export interface RunStart {
  readonly lease: Lease;
  /** RFC 3339 UTC. */
  readonly at: string;
  /** Between full runs. */
  readonly fullInterval_s: number;
  readonly isFull: boolean;
  /** `finishedAt` (RFC 3339), if any, of the last run when this one was due. */
  readonly dueAfter?: { readonly finishedAt: string | undefined } | undefined;
}

/** For clock differences and late commits. */
function toUpdatedSince(done: ImportRun | undefined, source: RegistrySource) {
  const newest = done && source.isIncremental ? done.progress.newestUpdatedAt : undefined;
  if (!newest) return undefined;
  return { newest, updatedSince: new Date(Date.parse(newest) - overlap_ms).toISOString() };
}

/** Or resumes. Throws UnderWayError if any run has ended since this one was due. */
export async function beginRun(
  tx: ImportTransaction,
  source: RegistrySource,
  start: RunStart,
): Promise<RunImport> {
  const { lease, at, isFull, dueAfter } = start;
  const { run: last } = await tx.imports.last();
  if (dueAfter && last?.finished_at !== undefined && last.finished_at !== dueAfter.finishedAt)
    throw new UnderWayError();
  const { run, done } = await tx.imports.last(source.name);
  const lastFull = await tx.imports.lastFull(source.name);
  const expectedRows = source.isIncremental ? lastFull?.progress.counts.rows_seen : undefined;
  if (run && isResumable(run, isFull)) {
    await tx.imports.saveRun(run.id, { state: 'running', finished_at: undefined, error: undefined });
    return toRun(run, { lease, isResumed: true, expectedRows });
  }
  if (run?.state === 'running') {
    const error = 'replaced by a full import';
    await tx.imports.saveRun(run.id, { state: 'failed', finished_at: at, cursor: undefined, error });
  }
  // Without the sample's once another source is read.
  const recorded = Object.entries(last?.progress.recorded ?? {}).filter(
    ([origin]) => source.name === sampleSource || origin !== sampleOrigin,
  );
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
      recorded: Object.fromEntries(recorded),
    },
  };
  const id = await tx.imports.startRun(begun);
  return toRun({ ...begun, id }, { lease, isResumed: false, expectedRows });
}

/** A time in the future would hide changes. */
export const newestKnown = (run: RunImport, updatedAt: readonly string[]): string | undefined =>
  [...updatedAt, ...(run.newestUpdatedAt ? [run.newestUpdatedAt] : [])]
    .filter((time) => time <= run.started_at)
    .sort()
    .at(-1);
