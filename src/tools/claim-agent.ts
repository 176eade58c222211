import { z } from 'zod';
import { requireChallenge, toUnproven } from '../claims/challenge-response.ts';
import { type ClaimTarget, checkClaim, findToCheck, toRepositoryTarget } from '../claims/check-claim.ts';
import {
  type ClaimResponse,
  type ClaimStatus,
  claimResponse,
  toClaimed,
  toIssued,
  toNotProven,
} from '../claims/claim-response.ts';
import type { Context } from '../context.ts';
import { repositoryIdentity } from '../evidence/rating/identity.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { Problem } from '../problem.ts';
import { findListing } from './support/find-listing.ts';
import { handleInput } from './support/inputs.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  handle: handleInput,
  rotate: z.boolean().optional().describe('A new challenge and capability for a claimed listing'),
  challenge: z.string().max(100).optional().describe('Only check this challenge; no secret is returned'),
});

const standingOf = async (
  { listing: { handle } }: ClaimTarget,
  { store }: Context,
): Promise<ClaimStatus> => ({
  claim: await store.claims.claim(handle),
  capabilities: await store.claims.capabilities(handle),
});

async function answer(
  target: ClaimTarget,
  { rotate, challenge }: z.output<typeof input>,
  context: Context,
): Promise<ClaimResponse> {
  const sent = challenge === undefined ? undefined : requireChallenge(challenge);
  const checked = await checkClaim(target, context);
  if (checked.optedOut) throw new Problem('listing_withdrawn');
  const { claim, capabilities } = await standingOf(target, context);
  const isLive = !sent || capabilities.some(({ hash, state }) => hash === sent.hash && state === 'active');
  const isClaimed = claim?.state === 'claimed' && claim.place_key === target.place.key && isLive;
  if (isClaimed && (sent || !rotate)) return toClaimed(target, checked, { claim, capabilities, context });
  if (challenge !== undefined) return toUnproven(challenge, { target, checked }, context);
  if (rotate || checked.check.result === 'file_absent') return toIssued(target, checked, context);
  return toNotProven(target, checked, context);
}

/** Proves write access to the recorded repository by a committed line, and issues the capability that rating needs. */
export const claimAgent = defineTool({
  name: 'claim_agent',
  title: 'Claim your own listing',
  description:
    'Claims a listing by a line committed to its recorded repository: the first call returns a challenge (public, to commit) and a capability (secret, never shown again, works once the challenge is committed); the same call again checks. Use it only for a listing whose repository you can push to; submit_rating needs the capability. Do not use it to read about a listing: use get_agent. Claimed means write access to that repository at a commit on a date, nothing about quality.',
  effects: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  bodyLimit_bytes: 2048,
  input,
  output: claimResponse,
  networkLimits: [{ name: 'claim', burst: 10, refill_s: 60 }],
  example: { handle: 'co.webhook/webhook' },
  async run(request, context) {
    const found = await findToCheck(request.handle, context.store.listings);
    const listing = found ?? (await findListing(request.handle, context));
    const target = toRepositoryTarget(listing, context);
    const account = repositoryIdentity(target.place.key)?.value;
    await requireMayWrite(context, { handle: listing.handle, accounts: account ? [account] : [] });
    return answer(target, request, context);
  },
});
