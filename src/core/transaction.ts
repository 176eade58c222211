import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/**
 * Runs the work of a transaction of the store. Until it ends, `refuseInTransaction` throws in everything it
 * calls.
 */
export async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  const scope = { isOpen: true };
  try {
    return await current.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * Throws if it is called within a transaction. All writes wait for an open transaction, so a request to a
 * host would delay them all, and a write through the store would wait for itself.
 */
export function refuseInTransaction(what: string): void {
  if (current.getStore()?.isOpen) throw new Error(`${what} is not allowed in a transaction`);
}
