import type { Context } from '../context.ts';
import { challengeTrouble, readChallenge } from '../evidence/claim/challenge.ts';
import { Problem } from '../problem.ts';
import { bindingOf, type CheckedClaim, type ClaimTarget } from './check-claim.ts';
import type { CheckResult } from './check-results.ts';
import { type ClaimAnswer, frame, said } from './claim-response.ts';
import { claimKeyRing } from './keys.ts';

const nextWhenWaiting = (file: string) =>
  `Commit the challenge line in ${file} at the root of the default branch, then ask again. Leave challenge out to be given a new one.`;

/** Throws invalid_input unless a text has the form of a challenge. */
export function requireChallenge(text: string) {
  const challenge = readChallenge(text);
  if (challenge) return challenge;
  const message = 'a challenge of claim_agent: dossier-claim-v1. and 72 more characters';
  throw new Problem('invalid_input', {
    fields: [{ field: 'challenge', message }],
    detail: `challenge: ${message}.`,
  });
}

async function whyNot(text: string, target: ClaimTarget, context: Context): Promise<CheckResult | undefined> {
  const challenge = requireChallenge(text);
  const row = await context.store.claims.capability(challenge.hash);
  if (row?.state === 'burnt') return 'secret_published';
  if (row?.state === 'revoked') return 'reused';
  const now_s = Math.floor(context.clock().getTime() / 1000);
  const ring = await claimKeyRing(context);
  if (row?.handle === target.listing.handle) return undefined;
  return challengeTrouble(challenge, bindingOf(target, context), { ring, now_s });
}

/** Why the challenge that was asked about does not count; never a secret. */
export async function toUnproven(
  text: string,
  { target, checked }: { target: ClaimTarget; checked: CheckedClaim },
  context: Context,
): Promise<ClaimAnswer> {
  const { result } = checked.check;
  const isRead = result === 'proven' || result.startsWith('challenge_') || result === 'reused';
  const reason = (await whyNot(text, target, context)) ?? (isRead ? 'no_challenge_in_file' : result);
  return {
    status: 'not_proven',
    ...frame(target, checked, context),
    reason,
    ...said(reason, checked, context),
    next: nextWhenWaiting(context.config.claimFile),
  };
}
