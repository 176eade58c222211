import type { Context } from '../context.ts';
import type { ImportContext, ImportRequest, ImportResult } from './import.ts';
import { RegistryError } from './import-run.ts';
import { findImportLease, UnderWayError } from './run.ts';

/**
 * How one attempt ended. `busy`: another import is running, or has ended since this one was due. `running`:
 * the signal stopped it, and the next import continues it.
 */
export type ImportOutcome = Pick<ImportResult, 'error'> & { readonly state: ImportResult['state'] | 'busy' };

/** An import that can be stopped. Its default source is REGISTRY_URL. */
export type Attempt = Pick<ImportRequest, 'source' | 'dueAfter'> & { readonly signal: AbortSignal };

/** Runs one import. A failure of the registry is an outcome, never an exception. */
export type ImportOnce = (context: ImportContext, attempt: Attempt) => Promise<ImportOutcome>;

/**
 * Runs one import in this thread, which is blocked while SQLite runs each of its transactions. Never throws.
 */
export const importOnce: ImportOnce = async (context, attempt) => {
  try {
    // Loaded lazily, so that a node that never imports does not pay for it.
    const { runImport } = await import('./import.ts');
    return await runImport(context, attempt);
  } catch (error) {
    if (attempt.signal.aborted) return { state: 'running' };
    if (error instanceof UnderWayError) return { state: 'busy' };
    if (error instanceof RegistryError) return { state: 'failed', error: error.message };
    context.log.error({ err: error }, 'import failed with an internal error');
    return { state: 'failed', error: 'internal error' };
  }
};

export type ImportStatus = Awaited<ReturnType<typeof readImportStatus>>;

/**
 * Reads the status of the newest import, and the newest completed run. Each call decides by the lease whether
 * the node of a running import is alive. `stopped`: it was interrupted or its node died, and the next import
 * of its source continues it. `lastSeen_at` is when the dead node last renewed its lease, RFC 3339; absent if
 * the run was interrupted.
 */
export async function readImportStatus({ store }: Pick<Context, 'store'>) {
  const last = await store.imports.last();
  const state = last.run?.state ?? ('none' as const);
  const lease = state === 'running' ? await findImportLease(store) : undefined;
  const isStopped = state === 'running' && !lease?.isHeld;
  const died = isStopped && lease && { lastSeen_at: lease.renewed_at };
  return { ...last, state: isStopped ? ('stopped' as const) : state, ...died };
}
