import { type CommittedRecord, toLeaf } from '../evidence/log/leaf.ts';
import { readMembers } from '../evidence/log/read-record.ts';
import type { Transaction } from '../store/store.ts';

/** What to erase: the record of which entry, when (RFC 3339), and the published reason. */
export interface Erasure {
  readonly log_index: number;
  readonly at: string;
  readonly reason: string;
}

/** Why nothing was erased, as a sentence for the operator. */
export class NotErasable extends Error {}

/** Erases what a listing shows of a record; returns the rated handle. */
async function eraseShown(tx: Transaction, [type, { record }]: [string, CommittedRecord], at: string) {
  const { id, rating_id } = readMembers(record) ?? {};
  if (type === 'rating.submitted' || type === 'rating.amended') return tx.ratings.erase(String(id), at);
  if (type === 'rating.responded') return tx.ratings.eraseResponse(String(rating_id), at);
  throw new NotErasable(
    `this entry is a ${type}; only ratings (rating.submitted, rating.amended) and responses (rating.responded) are erased`,
  );
}

/**
 * Deletes the record and salt of a log entry and what listings show of it, and appends `record.erased`, in the caller's
 * transaction; the leaf stays, so every proof still holds. Returns the log index of the new entry. Throws NotErasable.
 */
export async function eraseRecord(tx: Transaction, { log_index, at, reason }: Erasure): Promise<number> {
  const entry = await tx.log.leaf(log_index);
  if (!entry) throw new NotErasable('no log entry has this index');
  const committed = await tx.log.record(log_index);
  if (!committed)
    throw new NotErasable('the record of this entry is not stored: it was erased before, or lost');
  const handle = await eraseShown(tx, [entry.type, committed], at);
  const { leaf } = entry;
  const erased_by = await tx.log.append(toLeaf('record.erased', { log_index, leaf, erased_at: at, reason }));
  await tx.log.erase(log_index, erased_by);
  if (handle !== undefined) await tx.listings.reindex(handle);
  return erased_by;
}
