import type { Context } from '../context.ts';
import type { ImportContext, ImportRequest, ImportResult } from './import.ts';
import { RegistryError } from './import-run.ts';
import { findImportLease, UnderWayError } from './run.ts';

/**
 * `busy`: another one runs, or has ended since this one was due. `running`: stopped by the signal, to be
 * continued.
 */
export type ImportOutcome = Pick<ImportResult, 'error'> & { readonly state: ImportResult['state'] | 'busy' };

/** REGISTRY_URL if `source` is absent. */
export type Attempt = Pick<ImportRequest, 'source' | 'dueAfter'> & { readonly signal: AbortSignal };

/** Never throws for the registry's failures. */
export type ImportOnce = (context: ImportContext, attempt: Attempt) => Promise<ImportOutcome>;

/** Blocks the thread while SQLite runs each transaction. Never throws. */
export const importOnce: ImportOnce = async (context, attempt) => {
  try {
    // A node that never imports does not pay for it.
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
 * `stopped`: interrupted, or its node died; it can be continued. `lastSeen_at` (RFC 3339): the dead node
 * renewed its lease.
 */
export async function readImportStatus({ store }: Pick<Context, 'store'>) {
  const last = await store.imports.last();
  const state = last.run?.state ?? ('none' as const);
  const lease = state === 'running' ? await findImportLease(store) : undefined;
  const isStopped = state === 'running' && !lease?.isHeld;
  const died = isStopped && lease && { lastSeen_at: lease.renewed_at };
  return { ...last, state: isStopped ? ('stopped' as const) : state, ...died };
}
