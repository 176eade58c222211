import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import type { Capability } from '../../evidence/claim/claim.ts';
import { canonicalDigest } from '../../evidence/log/leaf.ts';
import { requireInTime } from '../../evidence/rating/proof/in-time.ts';
import { type ProofInput, proofKinds } from '../../evidence/rating/proof/proof-classes.ts';
import type { Rating, RatingContent } from '../../evidence/rating/rating.ts';
import { Problem } from '../../problem.ts';
import type { Transaction } from '../../store/store.ts';
import type { Submission, SubmittedProof } from './rating-record.ts';

const saltBytes = 16;

/** The commitment to a proof, which only who has the proof and the salt can open. */
function commit(value: string): Pick<Rating, 'proof_commitment' | 'proof_salt'> {
  const salt = randomBytes(saltBytes);
  const proof_commitment = createHash('sha256').update(salt).update(value).digest('base64');
  return { proof_commitment, proof_salt: salt.toString('base64') };
}

/** What a proof is sent with: the rated handle, the content as it was sent, and who sends it. */
interface ProvenSubmission {
  readonly handle: string;
  readonly sent: RatingContent;
  readonly capability: Capability;
}

/** Checks the proof of a rating whose content is as it was sent. Throws a problem that says what is wrong. */
export async function checkProof(
  proof: ProofInput | undefined,
  { handle, sent, capability }: ProvenSubmission,
  context: Context,
): Promise<SubmittedProof> {
  if (!proof) return { proof_class: 'none' };
  const { kind, value } = proof;
  const { store, clock, config } = context;
  const keys = await store.ratings.receiptKeys(handle);
  const listing = await store.listings.byHandle(handle);
  const remotes = listing?.remotes.map(({ url }) => url) ?? [];
  // The digest is of what the rater sent, which is what it can sign.
  const message = `dossier/rating/v1\n${config.publicUrl}\n${handle}\n${canonicalDigest(sent)}`;
  const now_ms = clock().getTime();
  const checked = await proofKinds[kind].check(value, {
    ...{ subject: handle, source: capability.handle, keys, remotes, message, now_ms },
  });
  requireInTime(checked, { interaction_ms: Date.parse(sent.interaction_at), now_ms });
  return {
    proof_class: kind,
    ...commit(value),
    spends: canonicalDigest([kind, ...checked.identity]),
    interaction_id: checked.interaction_id,
  };
}

/** Uses up the proof of a rating. Throws if another interaction used it, or it names another. */
export async function spendProof(
  tx: Transaction,
  { proof, content }: Submission,
  { id, versions }: { readonly id: string; readonly versions: readonly Rating[] },
): Promise<void> {
  if (proof.spends === undefined) return;
  const earlier = versions.map((version) => version.id);
  if (!(await tx.ratings.spendProof({ digest: proof.spends, rating_id: id, versions: earlier })))
    throw new Problem('proof_reused');
  if (proof.interaction_id === undefined || proof.interaction_id === content.interaction_id) return;
  const detail =
    'It names another interaction: the jti of a service receipt is the interaction_id of the rating.';
  throw new Problem('proof_invalid', { detail });
}
