import type { Context } from '../context.ts';
import type { ImportRun } from '../evidence/import-run.ts';
import { findImportLease } from './run-lease.ts';

/** What is known of a store's imports. */
export interface ImportStatus {
  /** Of the newest run. `stopped`: interrupted, or its node died; the next import of its source continues it. */
  readonly state: 'none' | 'running' | 'stopped' | 'done' | 'failed' | 'held';
  readonly run: ImportRun | undefined;
  /** The newest run that completed. */
  readonly done: ImportRun | undefined;
  /** When the dead node of a stopped run last renewed its lease, RFC 3339; absent where the run was interrupted. */
  readonly lastSeen_at?: string;
}

/** Reads the status of the newest import. Whether its node is alive is decided by its lease, on every call. */
export async function readImportStatus({ store }: Pick<Context, 'store'>): Promise<ImportStatus> {
  const { run, done } = await store.imports.last();
  if (!run) return { state: 'none', run, done };
  if (run.state !== 'running') return { state: run.state, run, done };
  const lease = await findImportLease(store);
  if (lease?.isHeld) return { state: 'running', run, done };
  return { state: 'stopped', run, done, ...(lease && { lastSeen_at: lease.renewed_at }) };
}
