import { v7 as uuidv7 } from 'uuid';
import { repositoryRoot } from '../evidence/namespace.ts';
import type { RatingContent, RatingRecord } from '../evidence/rating.ts';
import { isIndependent, ratingWindow_ms, toRatingFlags } from '../evidence/rating-rules.ts';
import type { CapabilityRow, ListingRow, RatingRow, Transaction } from '../store/store.ts';

/** One submission: who rates, what, and when it came in. */
export interface Submission {
  readonly capability: CapabilityRow;
  readonly handle: string;
  /** Cleaned; interaction_at is in UTC. */
  readonly content: RatingContent;
  /** Of the content without `supersedes`: tells a replay from a conflict. */
  readonly digest: string;
  readonly now: Date;
}

/** What is computed about a rating at the moment it is recorded. */
export async function flagsOf(tx: Transaction, source: ListingRow, subject: ListingRow, now: Date) {
  const since = new Date(now.getTime() - ratingWindow_ms).toISOString();
  const claim = await tx.claims.claim(source.handle);
  return toRatingFlags(source, subject, {
    reciprocal: await tx.ratings.rated(subject.handle, source.handle, since),
    sourceAge_ms: now.getTime() - new Date(claim?.claimed_at ?? now).getTime(),
  });
}

/** The public record that the log commits to. */
export function toRecord(
  { content, now }: Submission,
  sides: { source: ListingRow; subject: ListingRow },
  flags: RatingRecord['flags'],
) {
  return {
    ...content,
    id: uuidv7({ msecs: now.getTime() }),
    subject_handle: sides.subject.handle,
    source_handle: sides.source.handle,
    source_root: repositoryRoot(sides.source.repository_key ?? ''),
    created_at: now.toISOString(),
    flags,
    independent: isIndependent(flags),
  };
}

/** The record as the store keeps it. */
export function toRow(
  record: ReturnType<typeof toRecord>,
  { capability, digest }: Submission,
  log_index: number,
): RatingRow {
  const {
    id,
    subject_handle,
    source_handle,
    source_root,
    created_at,
    flags,
    independent,
    supersedes,
    ...content
  } = record;
  const { interaction_id, interaction_at, outcome, score, ...rest } = content;
  return {
    id,
    subject_handle,
    source_handle,
    source_root,
    created_at,
    interaction_id,
    interaction_at,
    outcome,
    log_index,
    score: score ?? null,
    source_capability_id: capability.id,
    content: JSON.stringify(rest),
    content_digest: digest,
    flags: JSON.stringify(flags),
    independent: Number(independent),
    supersedes: supersedes ?? null,
    superseded_by: null,
    withdrawn_at: null,
    withdrawn_reason: null,
    is_current: 1,
  };
}
