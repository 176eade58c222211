import { toLeaf } from '../evidence/log/leaf.ts';
import type { Transaction } from '../store/store.ts';

/** What to erase: the record of which entry, when (RFC 3339), and the published reason. */
export interface Erasure {
  readonly log_index: number;
  readonly at: string;
  readonly reason: string;
}

/** Why nothing was erased, as a sentence for the operator. */
export class NotErasable extends Error {}

/**
 * Deletes the record and salt of a log entry, and appends `record.erased`, in the caller's transaction; the leaf stays, so
 * every proof still holds. What listings show of it is the caller's. Returns the log index of the new entry. Throws
 * NotErasable.
 */
export async function eraseRecord(tx: Transaction, { log_index, at, reason }: Erasure): Promise<number> {
  const entry = await tx.log.leaf(log_index);
  if (!entry) throw new NotErasable('no log entry has this index');
  if (!(await tx.log.record(log_index)))
    throw new NotErasable('the record of this entry is not stored: it was erased before, or lost');
  const { leaf } = entry;
  const erased_by = await tx.log.append(toLeaf('record.erased', { log_index, leaf, erased_at: at, reason }));
  await tx.log.erase(log_index, erased_by);
  return erased_by;
}
