import { v7 as uuidv7 } from 'uuid';
import type { Capability } from '../../evidence/claim/claim.ts';
import type { RatingBasis } from '../../evidence/rating/groups.ts';
import type { Rating, RatingContent } from '../../evidence/rating/rating.ts';
import type { RatingSide, RatingSides, SideClaim } from '../../evidence/rating/rating-sides.ts';

/** What a submission shows of its interaction, as it is recorded. */
export interface SubmittedProof extends Pick<Rating, 'proof_class' | 'proof_commitment' | 'proof_salt'> {
  /** SHA-256 of what identifies the proof, hex; undefined without one. */
  readonly spends?: string;
  /** The interaction that the proof names, if it names one. */
  readonly interaction_id?: string | undefined;
}

/** One submission: the rater's capability, the rated handle, the content and the time of receipt. */
export interface Submission {
  readonly capability: Capability;
  readonly handle: string;
  /** Cleaned; interaction_at is in UTC. */
  readonly content: RatingContent;
  /** Digest of the content and the proof without `supersedes`: tells a replay from a conflict. */
  readonly digest: string;
  readonly proof: SubmittedProof;
  readonly now: Date;
}

/** What decides the group of a new version, and when the first version was made. */
export type JudgedBasis = RatingBasis & Pick<Rating, 'first_created_at'>;

/** The two listings of a rating, neither withdrawn, not the same; the source is claimed. */
export interface Sides extends RatingSides {
  readonly source: RatingSide & { readonly claim: SideClaim };
  readonly subject: RatingSide;
}

/** The record that the log commits to. */
export const toRecord = ({ content, proof, now }: Submission, { source, subject }: Sides) => ({
  ...content,
  id: uuidv7({ msecs: now.getTime() }),
  subject_handle: subject.handle,
  source_handle: source.handle,
  source_root: source.claim.root,
  source_root_generation: source.claim.root_generation,
  created_at: now.toISOString(),
  proof_class: proof.proof_class,
  ...(proof.proof_commitment !== undefined && { proof_commitment: proof.proof_commitment }),
});

/** Who holds the rated listing by a claim in force. */
const holderOf = ({ claim }: RatingSide) =>
  claim?.isInForce ? { subject_root: claim.root, subject_root_generation: claim.root_generation } : {};

/** The record with its place in the log and what decides its group, as it is stored. */
export const toRating = (
  record: ReturnType<typeof toRecord>,
  { capability, digest, proof }: Submission,
  { sides, basis, log_index }: { sides: Sides; basis: JudgedBasis; log_index: number },
): Rating => ({
  ...record,
  ...basis,
  ...holderOf(sides.subject),
  log_index,
  source_capability_id: capability.id,
  content_digest: digest,
  ...(proof.proof_salt !== undefined && { proof_salt: proof.proof_salt }),
});
