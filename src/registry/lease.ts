import { randomUUID } from 'node:crypto';
import type { ImportReads, ImportRun, Store, Transaction } from '../store/store.ts';
import { RegistryError } from './source.ts';

const fresh_ms = 120_000;
const renewal_ms = 30_000;

/** Somebody else works on an import; whoever asks may come again later. */
export class UnderWayError extends RegistryError {
  constructor() {
    super('an import is already under way', true);
  }
}

/** Who works on a run: this node, and one name for each run. */
export interface Lease {
  readonly owner: string;
  /** What the run's row says while this one works on it. */
  at(time: string): Pick<ImportRun, 'lease_owner' | 'lease_at'>;
  /** Nobody works on it any more. */
  end(): void;
}

/** Leases that this process holds. */
const held = new Set<string>();

/** A lease of this process. */
export function createLease({ node }: Pick<Store, 'node'>): Lease {
  const owner = `${node}/${randomUUID()}`;
  held.add(owner);
  return {
    owner,
    at: (lease_at) => ({ lease_owner: owner, lease_at }),
    end: () => held.delete(owner),
  };
}

const nodeOf = (owner: string) => owner.slice(0, owner.lastIndexOf('/'));

/** Whether anybody works on a run: shown less than two minutes ago by a node that is not known to be gone. */
async function isHeld(
  { lease_owner, lease_at }: ImportRun,
  at: string,
  store: Pick<Store, 'node' | 'isPresent'>,
): Promise<boolean> {
  if (lease_owner === null || lease_at === null) return false;
  if (Math.abs(Date.parse(at) - Date.parse(lease_at)) >= fresh_ms) return false;
  const node = nodeOf(lease_owner);
  return node === store.node ? held.has(lease_owner) : store.isPresent(node);
}

/** Whether anybody works on any run. */
export async function isUnderWay(
  imports: Pick<ImportReads, 'running'>,
  at: string,
  store: Pick<Store, 'node' | 'isPresent'>,
): Promise<boolean> {
  for (const run of await imports.running()) if (await isHeld(run, at, store)) return true;
  return false;
}

/** Saves a change of a run that is still ours; false, and nothing saved, where somebody took it over. */
export async function saveWithLease(
  tx: Transaction,
  run: { readonly id: number; readonly lease: Lease },
  change: Partial<Omit<ImportRun, 'id'>>,
): Promise<boolean> {
  const row = (await tx.imports.running()).find(({ id }) => id === run.id);
  if (row?.lease_owner !== run.lease.owner) return false;
  await tx.imports.saveRun(run.id, change);
  return true;
}

/** Shows every half minute that the run is worked on, however long a page takes. Answers how to stop. */
export function keepLease(
  { store, clock }: { readonly store: Store; readonly clock: () => Date },
  run: { readonly id: number; readonly lease: Lease },
): () => void {
  const renew = () =>
    store.write((tx) => saveWithLease(tx, run, { lease_at: clock().toISOString() })).catch(() => undefined); // the next page says what is wrong
  const timer = setInterval(() => void renew(), renewal_ms).unref();
  return () => clearInterval(timer);
}
