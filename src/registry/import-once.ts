import type { ImportContext, ImportReport, ImportRequest } from './import.ts';
import { UnderWayError } from './run-lease.ts';
import { RegistryError } from './source/source.ts';

/** How one attempt ended. `busy`: another import is running, or ended since this one was due. `running`: stopped by the signal; the next one continues it. */
export interface Outcome {
  readonly state: ImportReport['state'] | 'busy';
  readonly error?: string;
}

/** An import that can be stopped; from REGISTRY_URL unless a source is given. */
export type Attempt = Pick<ImportRequest, 'source' | 'dueAfter'> & { readonly signal: AbortSignal };

/** Runs one import. A failure of the registry is an outcome, never an exception. */
export type ImportOnce = (context: ImportContext, attempt: Attempt) => Promise<Outcome>;

/** Runs one import in this thread, which is blocked while SQLite runs each of its transactions. Never throws. */
export const importOnce: ImportOnce = async (context, attempt) => {
  try {
    // Loaded lazily: a node that never imports does not pay for it.
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
