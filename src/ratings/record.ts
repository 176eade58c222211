import { createHash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { findRefusal, requireMayWriteWith } from '../claims/authenticate.ts';
import type { Capability, Claim } from '../claims/claim.ts';
import type { Context } from '../context.ts';
import { recordedHolders } from '../core/identity.ts';
import { Problem } from '../core/problem.ts';
import { day_ms } from '../core/text.ts';
import { canonicalDigest } from '../log/leaf.ts';
import type { Reads } from '../store/store.ts';
import { isPraise, toRelation } from './groups.ts';
import { proofKinds, requireInTime, type SentProof } from './proof.ts';
import { isCurrent, type RatingContent, type SentContent } from './rating.ts';
import { afterVersion, foldRating, type RatingSide, type RatingSides, toNewUntil } from './rules.ts';
import type { RatingTransaction } from './schema.ts';
import type { Rating } from './table.ts';

interface SubmittedProof extends Pick<Rating, 'proof_class' | 'proof_commitment' | 'proof_salt'> {
  /** SHA-256 of the proof's identity, hex. */
  readonly spends?: string;
  readonly interaction_id?: string | undefined;
}

export interface Submission {
  readonly capability: Capability;
  readonly handle: string;
  /** Cleaned, with interaction_at in UTC. */
  readonly content: RatingContent;
  /** SHA-256 (hex) of content and proof without `supersedes`: tells a replay from a conflict. */
  readonly digest: string;
  readonly proof: SubmittedProof;
  readonly now: Date;
}

/** Two listings that are not withdrawn; the source is claimed. */
export interface Sides extends RatingSides {
  readonly source: RatingSide & { readonly claim: NonNullable<RatingSide['claim']> };
  readonly subject: RatingSide;
}

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

export const toRating = (
  record: ReturnType<typeof toRecord>,
  { capability, digest, proof }: Submission,
  {
    sides,
    basis,
    log_index,
  }: { sides: Sides; basis: Awaited<ReturnType<typeof judgeBasis>>; log_index: number },
): Rating => ({
  ...record,
  ...basis,
  ...(sides.subject.claim?.isInForce && {
    subject_root: sides.subject.claim.root,
    subject_root_generation: sides.subject.claim.root_generation,
  }),
  log_index,
  source_capability_id: capability.id,
  content_digest: digest,
  ...(proof.proof_salt !== undefined && { proof_salt: proof.proof_salt }),
});

/** `earlier` are of the same control root. `settlePairs` decides `reciprocal` later. */
export async function judgeBasis(
  tx: RatingTransaction,
  { source, subject }: Sides,
  { submission: { content, now }, earlier }: { submission: Submission; earlier: readonly Rating[] },
) {
  const { root, first_proved_at } = source.claim;
  const made = { ...content, created_at: now.toISOString() };
  const { first_created_at, praised_at, declared_interest } = afterVersion(foldRating(earlier), made);
  const praises = isPraise(content);
  const rating = {
    source_handle: source.handle,
    source_root: root,
    subject_handle: subject.handle,
    // For praise, statements count until the first version that praises, even after criticism.
    stated_until: (praises ? praised_at : undefined) ?? first_created_at,
  };
  const critic = praises ? undefined : await tx.listings.byHandle(source.handle);
  const named = critic && recordedHolders(critic);
  const names = named?.map(({ id }) => id) ?? [];
  const recorded = await tx.ratings.identities(subject.handle, { sources: [rating], names });
  return {
    ...toRelation(rating, recorded, named),
    declared_interest,
    reciprocal: false,
    new_until: toNewUntil(first_proved_at),
    first_created_at,
    praised_at,
  };
}

const maxAmendments = 5;
const amendable_ms = 180 * day_ms;

/** Proofs are checked after authentication; meanwhile the capability may have ended or been blocked. */
export async function requireLive(
  tx: RatingTransaction,
  capability: Capability,
  { context, isTakingBack = false }: { readonly context: Context; readonly isTakingBack?: boolean },
): Promise<void> {
  const live = await tx.claims.capability(capability.hash);
  if (!live) throw new Problem('capability_invalid');
  const refusal = live.state === 'active' ? undefined : await findRefusal(tx, live, context.clock());
  if (refusal) throw refusal;
  await requireMayWriteWith(capability, { ...context, store: tx }, { isTakingBack });
}

/** @throws rating_not_yours */
export function requireSameRoot(
  { source_root, source_root_generation }: Rating,
  claim: Pick<Claim, 'root' | 'root_generation'> | undefined,
): void {
  if (source_root === claim?.root && source_root_generation === claim.root_generation) return;
  const detail = `The account or domain ${source_root} made this rating with an earlier claim of this listing; only that claim can change it.`;
  throw new Problem('rating_not_yours', detail);
}

/** @throws not_found */
export async function requireRating({ ratings }: Pick<Reads, 'ratings'>, id: string): Promise<Rating> {
  const rating = await ratings.byId(id);
  if (rating) return rating;
  throw new Problem('not_found', 'No rating has this id.');
}

/** @throws not_found or rating_not_yours */
export async function requireOwnRating(tx: RatingTransaction, id: string, capability: Capability) {
  const rating = await requireRating(tx, id);
  if (rating.source_handle !== capability.handle) throw new Problem('rating_not_yours');
  requireSameRoot(rating, await tx.claims.claim(capability.handle));
  return rating;
}

function requireSameInteraction(rating: Rating, { handle, content }: Submission): void {
  const isSame =
    rating.subject_handle === handle &&
    rating.interaction_id === content.interaction_id &&
    rating.interaction_at === content.interaction_at;
  if (isSame) return;
  const detail =
    'An amendment keeps the handle, the interaction_id and the interaction_at of the rating it supersedes.';
  throw new Problem('rating_not_current', detail);
}

/** @throws interaction_out_of_window or rating_exists */
export function requireAmendmentLeft(versions: readonly Rating[], now: Date): void {
  const [first] = versions;
  if (first && now.getTime() - new Date(first.first_created_at).getTime() > amendable_ms)
    throw new Problem('interaction_out_of_window', 'A rating can be amended for 180 days.');
  if (versions.length > maxAmendments)
    throw new Problem(
      'rating_exists',
      'A rating can be amended 5 times. Withdrawing it and rating the interaction again counts as an amendment.',
    );
}

/**
 * However old the interaction is.
 * @throws not_found, rating_not_yours or rating_not_current
 */
export async function requireAmendable(tx: RatingTransaction, id: string, submission: Submission) {
  const rating = await requireOwnRating(tx, id, submission.capability);
  if (!isCurrent(rating)) throw new Problem('rating_not_current');
  requireSameInteraction(rating, submission);
  return rating;
}

const saltBytes = 16;

/** Only proof and salt open the commitment. */
function commit(value: string): Pick<Rating, 'proof_commitment' | 'proof_salt'> {
  const salt = randomBytes(saltBytes);
  const proof_commitment = createHash('sha256').update(salt).update(value).digest('base64');
  return { proof_commitment, proof_salt: salt.toString('base64') };
}

/** @throws proof_expired, or a problem of the kind of proof */
export async function checkProof(
  proof: SentProof | undefined,
  { handle, sent, capability }: { handle: string; sent: SentContent; capability: Capability },
  context: Context,
): Promise<SubmittedProof> {
  if (!proof) return { proof_class: 'none' };
  const { kind, value } = proof;
  const { store, clock, config } = context;
  const keys = await store.claims.receiptKeys(handle);
  const listing = await store.listings.byHandle(handle);
  const remotes = listing?.remotes.map(({ url }) => url) ?? [];
  // The rater can sign only what it sent, before cleaning.
  const message = `dossier/rating/v1\n${config.publicUrl}\n${handle}\n${canonicalDigest(sent)}`;
  const now_ms = clock().getTime();
  const checked = await proofKinds[kind].check(value, {
    subject: handle,
    source: capability.handle,
    keys,
    remotes,
    message,
    now_ms,
  });
  requireInTime(checked, { interaction_ms: Date.parse(sent.interaction_at), now_ms });
  return {
    proof_class: kind,
    ...commit(value),
    spends: canonicalDigest([kind, ...checked.identity]),
    interaction_id: checked.interaction_id,
  };
}

/** @throws proof_reused or proof_invalid */
export async function spendProof(
  tx: RatingTransaction,
  { proof, content }: Submission,
  { id, versions }: { readonly id: string; readonly versions: readonly Rating[] },
): Promise<void> {
  if (proof.spends === undefined) return;
  const earlier = versions.map((version) => version.id);
  if (!(await tx.ratings.spendProof(proof.spends, id, earlier))) throw new Problem('proof_reused');
  if (proof.interaction_id === undefined || proof.interaction_id === content.interaction_id) return;
  const detail =
    'The receipt names a different interaction. The jti of a service receipt must be the interaction_id of the rating.';
  throw new Problem('proof_invalid', detail);
}
