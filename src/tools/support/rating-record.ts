import { v7 as uuidv7 } from 'uuid';
import type { Capability } from '../../evidence/claim/claim.ts';
import { repositoryRoot } from '../../evidence/namespace.ts';
import type { Rating, RatingContent, RatingRecord } from '../../evidence/rating/rating.ts';
import { isIndependent, ratingWindow_ms, toRatingFlags } from '../../evidence/rating/rating-rules.ts';
import type { RatingSide, RatingSides } from '../../evidence/rating/rating-sides.ts';

/** One submission: the rater's capability, the rated handle, the content and the time of receipt. */
export interface Submission {
  readonly capability: Capability;
  readonly handle: string;
  /** Cleaned; interaction_at is in UTC. */
  readonly content: RatingContent;
  /** Digest of the content without `supersedes`: tells a replay from a conflict. */
  readonly digest: string;
  readonly now: Date;
}

/** The two listings of a rating, neither withdrawn, not the same. */
export interface Sides extends RatingSides {
  readonly subject: RatingSide;
}

/** The earliest time at which a rating in the other direction makes both reciprocal. */
export const reciprocalSince = (now: Date): string => new Date(now.getTime() - ratingWindow_ms).toISOString();

/** Flags are computed once, when the rating is recorded. */
const flagsOf = ({ source, subject, reciprocal, claimed_at }: Sides, now: Date) =>
  toRatingFlags(source, subject, {
    reciprocal,
    sourceAge_ms: now.getTime() - new Date(claimed_at ?? now).getTime(),
  });

/** The public record that the log commits to. */
export function toRecord({ content, now }: Submission, sides: Sides) {
  const flags: RatingRecord['flags'] = flagsOf(sides, now);
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

/** The record with its place in the log, as it is stored. */
export const toRating = (
  record: ReturnType<typeof toRecord>,
  { capability, digest }: Submission,
  log_index: number,
): Rating => ({ ...record, log_index, source_capability_id: capability.id, content_digest: digest });
