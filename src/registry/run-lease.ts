import type { ImportRun } from '../evidence/import-run.ts';
import type { Lease } from '../store/contract/leases.ts';
import type { Store, Transaction } from '../store/store.ts';
import { RegistryError } from './source/source.ts';

/** Whoever holds this lease is the only one that imports, from whatever source. */
const name = 'import';

/** Another import into the same store is running; the caller may try again later. */
export class UnderWayError extends RegistryError {
  constructor() {
    super('an import is already under way', true);
  }
}

/** What is known of the import that runs, or of one whose node died; undefined if neither is the case. */
export const findImportLease = ({ leases }: Pick<Store, 'leases'>) => leases.find(name);

/** Whether any process imports into this store. */
export const isUnderWay = async (store: Pick<Store, 'leases'>): Promise<boolean> =>
  (await findImportLease(store))?.isHeld ?? false;

/** Runs `work` as the only import into this store. Throws UnderWayError while another process imports. */
export async function whileImporting<T>(
  { leases }: Pick<Store, 'leases'>,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await leases.take(name);
  if (!lease) throw new UnderWayError();
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

/** A run and the lease it is worked on under. */
export interface LeasedRun {
  readonly id: number;
  readonly lease: Lease;
}

/** Saves a change of a run whose lease is still ours. Returns false, and saves nothing, once another node took it over. */
export async function saveWithLease(
  tx: Transaction,
  run: LeasedRun,
  change: Partial<Omit<ImportRun, 'id'>>,
): Promise<boolean> {
  if (!(await tx.leases.isHeldBy(run.lease))) return false;
  await tx.imports.saveRun(run.id, change);
  return true;
}
