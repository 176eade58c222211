import type { ImportRun } from '../evidence/import-run.ts';
import type { ImportReads } from '../store/contract/imports.ts';
import type { Lease } from '../store/lease.ts';
import type { Store, Transaction } from '../store/store.ts';
import { RegistryError } from './source/source.ts';

const staleAfter_ms = 120_000;
const renewEvery_ms = 30_000;

/** Another import into the same store is running; the caller may try again later. */
export class UnderWayError extends RegistryError {
  constructor() {
    super('an import is already under way', true);
  }
}

/** The lease columns of a run that a node works on. `at` is RFC 3339. */
export const heldBy = ({ owner }: Lease, at: string) => ({ lease_owner: owner, lease_at: at });

/** The lease columns of a run that no node works on. */
export const released = { lease_owner: undefined, lease_at: undefined };

/** Whether a node works on this run: the lease was renewed less than two minutes ago, and its node is alive. */
export async function isWorkedOn(
  { lease_owner, lease_at }: ImportRun,
  at: string,
  { leases }: Pick<Store, 'leases'>,
): Promise<boolean> {
  if (lease_owner === undefined || lease_at === undefined) return false;
  const age_ms = Math.abs(Date.parse(at) - Date.parse(lease_at));
  return age_ms < staleAfter_ms && leases.isHeld(lease_owner);
}

/** Whether a node works on any run. */
export async function isUnderWay(
  imports: Pick<ImportReads, 'running'>,
  at: string,
  store: Pick<Store, 'leases'>,
): Promise<boolean> {
  for (const run of await imports.running()) if (await isWorkedOn(run, at, store)) return true;
  return false;
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
  const row = (await tx.imports.running()).find(({ id }) => id === run.id);
  if (row?.lease_owner !== run.lease.owner) return false;
  await tx.imports.saveRun(run.id, change);
  return true;
}

/** Renews the lease every 30 s, however long a page takes. Returns a function that stops the renewal. */
export function keepLease(
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
  run: LeasedRun,
): () => void {
  const renew = () =>
    store.write((tx) => saveWithLease(tx, run, { lease_at: clock().toISOString() })).catch(() => undefined); // the next page reports the failure
  const timer = setInterval(() => void renew(), renewEvery_ms).unref();
  return () => clearInterval(timer);
}

/**
 * Releases the runs that earlier imports of this node left behind when they failed. A thread needs this: it sees that
 * its node is alive, but not which of the node's leases have ended.
 */
export async function releaseEnded(store: Store): Promise<void> {
  await store.write(async (tx) => {
    for (const { id, lease_owner } of await tx.imports.running()) {
      if (!lease_owner?.startsWith(`${store.node}/`)) continue;
      if (!(await store.leases.isHeld(lease_owner))) await tx.imports.saveRun(id, released);
    }
  });
}
