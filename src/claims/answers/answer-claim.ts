import type { Context } from '../../context.ts';
import { requireMayWrite } from '../../moderation/require-may-write.ts';
import { Problem } from '../../problem.ts';
import { checkClaim } from '../check-claim.ts';
import type { CheckedClaim } from '../checked-claim.ts';
import type { ClaimTarget } from '../checks/target.ts';
import { requireChallenge, toUnproven } from './challenge-response.ts';
import { type ClaimResponse, type ClaimStatus, toClaimed, toIssued, toNotProven } from './claim-response.ts';
import { proveBySignature } from './prove-by-signature.ts';

/** What a claim request asks for, besides the listing and the way. */
export interface ClaimRequest {
  readonly rotate?: boolean | undefined;
  readonly challenge?: string | undefined;
  readonly signature?: string | undefined;
}

const standingOf = async (
  { listing: { handle } }: ClaimTarget,
  { store }: Context,
): Promise<ClaimStatus> => ({
  claim: await store.claims.claim(handle),
  capabilities: await store.claims.capabilities(handle),
  receiptKeys: await store.ratings.receiptKeys(handle),
});

/** Whether nothing was found where the line belongs, so that the claim has yet to begin. */
const isNotBegun = ({ place }: ClaimTarget, { check: { result } }: CheckedClaim) =>
  ['file_absent', 'well_known_absent', 'dns_no_record'].includes(result) ||
  (place.kind === 'registry_key' && result === 'no_challenge_in_file');

async function look(
  target: ClaimTarget,
  { challenge, signature }: ClaimRequest,
  context: Context,
): Promise<CheckedClaim> {
  const checked = await checkClaim(target, context);
  if (challenge === undefined || signature === undefined) return checked;
  return proveBySignature(target, { checked, sent: { challenge, signature } }, context);
}

/** Checks one way to claim a listing and answers where the claim stands. Throws listing_withdrawn, invalid_input, or what keeps the caller from writing. */
export async function answerClaim(
  target: ClaimTarget,
  request: ClaimRequest,
  context: Context,
): Promise<ClaimResponse> {
  const { rotate, challenge } = request;
  const { handle } = target.listing;
  await requireMayWrite(context, { handle, roots: [target.place.root] });
  const sent = challenge === undefined ? undefined : requireChallenge(challenge);
  const checked = await look(target, request, context);
  if (checked.optedOut) throw new Problem('listing_withdrawn');
  const { claim, ...standing } = await standingOf(target, context);
  const { capabilities } = standing;
  const { kind, key } = target.place;
  const isLive = !sent || capabilities.some(({ hash, state }) => hash === sent.hash && state === 'active');
  const isHere = claim?.state === 'claimed' && claim.place_key === key && claim.kind === kind;
  if (isHere && isLive && (sent || !rotate))
    return toClaimed(target, checked, { claim, ...standing, context });
  if (challenge !== undefined) return toUnproven(challenge, { target, checked }, context);
  if (rotate || isNotBegun(target, checked)) return toIssued(target, checked, context);
  return toNotProven(target, checked, context);
}
