import { Problem } from '../problem.ts';
import type { CapabilityRow, RatingRow, Transaction } from '../store/store.ts';

const maxAmendments = 5;
const amendable_ms = 180 * 86_400_000;

/** The caller's own rating by id; throws not_found or rating_not_yours. */
export async function requireOwnRating(
  tx: Transaction,
  id: string,
  capability: CapabilityRow,
): Promise<RatingRow> {
  const row = await tx.ratings.byId(id);
  if (!row) throw new Problem('not_found', { detail: 'No rating has this id.' });
  if (row.source_handle !== capability.handle) throw new Problem('rating_not_yours');
  return row;
}

async function countAmendments(tx: Transaction, row: RatingRow): Promise<number> {
  let amendments = 0;
  for (let older = row.supersedes; older && amendments < maxAmendments; amendments++) {
    older = (await tx.ratings.byId(older))?.supersedes ?? null;
  }
  return amendments;
}

/**
 * The rating that a submission may amend: its own, current, of the same subject and interaction, amended fewer
 * than 5 times and not older than 180 days (trust.md section 3).
 */
export async function requireAmendable(
  tx: Transaction,
  id: string,
  submission: {
    readonly capability: CapabilityRow;
    readonly handle: string;
    readonly content: { readonly interaction_id: string };
    readonly now: Date;
  },
): Promise<RatingRow> {
  const { capability, handle, content, now } = submission;
  const row = await requireOwnRating(tx, id, capability);
  if (row.is_current === 0) throw new Problem('rating_not_current');
  if (row.subject_handle !== handle || row.interaction_id !== content.interaction_id) {
    const detail = 'An amendment keeps the handle and the interaction_id of the rating it supersedes.';
    throw new Problem('rating_not_current', { detail });
  }
  if (now.getTime() - new Date(row.interaction_at).getTime() > amendable_ms) {
    throw new Problem('interaction_out_of_window', { detail: 'A rating can be amended for 180 days.' });
  }
  if ((await countAmendments(tx, row)) >= maxAmendments) {
    throw new Problem('rating_exists', { detail: 'A rating can be amended 5 times.' });
  }
  return row;
}
