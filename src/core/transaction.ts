import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<{ isOpen: boolean }>();

/**
 * Runs the work of a transaction of the store. Until it ends, `refuseInTransaction` throws in whatever it
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
 * Throws if the work of a transaction calls it. All writes wait for an open transaction: one that asks a host
 * keeps them waiting, and one that writes through the store waits for itself.
 */
export function refuseInTransaction(what: string): void {
  if (current.getStore()?.isOpen) throw new Error(`${what} is not allowed in a transaction`);
}
