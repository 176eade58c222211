import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/** `refuseInTransaction` throws in all that `work` calls. */
export async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  const scope = { isOpen: true };
  try {
    return await current.run(scope, work);
  } finally {
    scope.isOpen = false;
  }
}

/**
 * A request to a host would delay all other writes; a write through the store would wait for the
 * transaction that waits for it.
 */
export function refuseInTransaction(what: string): void {
  if (current.getStore()?.isOpen) throw new Error(`${what} is not allowed in a transaction`);
}
