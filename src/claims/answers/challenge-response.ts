import type { Context } from '../../context.ts';
import { findChallengeFailure, readChallenge } from '../../evidence/claim/challenge.ts';
import { Problem } from '../../problem.ts';
import type { CheckResult } from '../check-results.ts';
import type { CheckedClaim } from '../checked-claim.ts';
import { bindingOf, type ClaimTarget } from '../checks/target.ts';
import { claimKeyRing } from '../keys.ts';
import { type ClaimResponse, messageOf, toCommonFields } from './claim-response.ts';
import { nextWhenNotProven } from './next-steps.ts';

/** Parses a challenge. Throws invalid_input unless the text has the form of one. */
export function requireChallenge(text: string) {
  const challenge = readChallenge(text);
  if (challenge) return challenge;
  const message = 'must be a challenge from claim_agent: dossier-claim-v1. and 72 more characters';
  throw new Problem('invalid_input', {
    fields: [{ field: 'challenge', message }],
    detail: `challenge: ${message}.`,
  });
}

async function ownReason(
  text: string,
  target: ClaimTarget,
  context: Context,
): Promise<CheckResult | undefined> {
  const challenge = requireChallenge(text);
  const row = await context.store.claims.capability(challenge.hash);
  if (row?.state === 'leaked') return 'secret_published';
  if (row?.state === 'revoked') return 'reused';
  const now_s = Math.floor(context.clock().getTime() / 1000);
  const ring = await claimKeyRing(context);
  if (row?.handle === target.listing.handle) return undefined;
  return findChallengeFailure(challenge, bindingOf(target, context), { ring, now_s });
}

/** The response to a request that names a challenge which is not proven: why not. It never contains a secret. */
export async function toUnproven(
  text: string,
  { target, checked }: { target: ClaimTarget; checked: CheckedClaim },
  context: Context,
): Promise<ClaimResponse> {
  const { result } = checked.check;
  const isRead = result === 'proven' || result.startsWith('challenge_') || result === 'reused';
  const reason = (await ownReason(text, target, context)) ?? (isRead ? 'no_challenge_in_file' : result);
  return {
    status: 'not_proven',
    ...toCommonFields(target, checked, context),
    reason,
    ...messageOf(reason, { target, checked }, context),
    next: nextWhenNotProven(target.place, context.config.claimFile),
  };
}
