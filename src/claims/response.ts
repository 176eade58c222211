import { z } from 'zod';
import type { Context } from '../context.ts';
import { capabilityHash, capabilityId, createCapability } from '../core/keys/capability.ts';
import { Problem } from '../core/problem.ts';
import { counted, toSentence } from '../core/text.ts';
import { challengeLife_s, claimKeyRing, createChallenge } from './challenge.ts';
import { type CheckResult, checkMessage, claimCheck } from './check-results.ts';
import type { CheckedClaim } from './checks/check.ts';
import { type Capability, type Claim, isInRepository, type ProofPlace, placeMember } from './claim.ts';
import { foretell, foretellMoved, type StandingClaim } from './foretell/foretell.ts';
import { optOutEnd, optOutText, withdrawn } from './foretell/opt-out.ts';
import { continuationOf } from './judge.ts';
import { bindingOf, type ClaimTarget } from './locations.ts';
import { claimMethods, failingText } from './methods.ts';
import { readWithdrawing } from './read-standing.ts';
import { shownReceiptKey, toShownKeys } from './receipt-keys.ts';
import { waitingTexts } from './standing.ts';

export const claimResponse = z.object({
  status: z.enum(['challenge_issued', 'not_proven', 'claimed', 'opted_out']),
  handle: z.string(),
  repository: z.string().optional(),
  domain: z.string().optional(),
  claim_file: z.string(),
  check: claimCheck,
  reason: z.string().optional().describe('check.result, or why the named challenge does not count'),
  message: z.string().optional(),
  challenge: z.string().optional().describe('Public: publish it'),
  file_contents: z.string().optional(),
  capability: z.string().optional().describe('Secret, shown only here; works after its challenge is found'),
  capability_id: z.string().optional(),
  expires_at: z.string().optional(),
  claimed_at: z.string().optional(),
  opted_out_at: z.string().optional(),
  commit: z.string().optional(),
  capabilities: z.array(z.object({ id: z.string(), activated_at: z.string() })).optional(),
  receipt_keys: z.array(shownReceiptKey).optional().describe('Keys that are or were published, newest first'),
  changed: z.enum(['activated', 'rotated', 'restored', 'moved', 'none']).optional(),
  next: z.string(),
});
export type ClaimResponse = z.input<typeof claimResponse>;

export const isWaiting = (reason: string | undefined): boolean =>
  reason === 'line_waits' || reason === 'claimed_elsewhere';

export const messageOf = (
  reason: CheckResult,
  {
    target,
    checked: { check, note },
    foretold,
  }: { target: ClaimTarget; checked: CheckedClaim; foretold?: string | undefined },
  { config }: Context,
) => {
  if (reason === 'proven') return note ? { message: note } : {};
  const wait_s = check.retry_after_s;
  const next =
    wait_s === undefined
      ? ''
      : `Checked at ${check.at}; the next check is possible in ${counted(wait_s, 'second')}.`;
  const found = checkMessage(reason, target.place, config.claimFile);
  return { message: [found, foretold, next, note].filter(Boolean).join(' ') };
};

export const toCommonFields = (
  { listing, place }: ClaimTarget,
  { check }: CheckedClaim,
  { config }: Context,
) => ({
  handle: listing.handle,
  ...placeMember(place.kind, place.shown),
  claim_file: config.claimFile,
  check,
});

const capabilityNote =
  'The capability in this answer is a secret for your user to store: it is shown only once, must not be published, and belongs to the challenge that you';

/** After `rotate`, the next request must not have it, because it would only make another pair. */
function nextWhenIssued(place: ProofPlace, file: string, { isRotating }: Issuing): string {
  const again = isRotating ? 'the request again without rotate' : 'the same request again';
  if (place.kind === 'repository')
    return `${capabilityNote} commit. Commit file_contents as ${file} at the root of the default branch of the recorded repository, keeping the lines it already has, then send ${again}.`;
  const then = place.kind === 'registry_key' ? '' : ` Then send ${again}, with this method.`;
  return `${capabilityNote} use. ${claimMethods[place.kind].whereToPut(place, file)}${then}`;
}

function nextWhenClaimed(place: ProofPlace, issuing: Issuing): string {
  const { presented, context } = issuing;
  const { claimFile, observe } = context.config;
  const use = 'Use the capability whose capability_id is in capabilities, as Authorization: Bearer.';
  const check =
    observe !== 'off'
      ? ' POST /api/capability/check with it asks Dossier to check your service at once, at most every 10 minutes.'
      : '';
  const without = presented
    ? ''
    : ` If you have none of the claim to send with it: ${foretellAsked(place, issuing)}`;
  const more = `Request with rotate: true to get a new capability.${without}${check}`;
  if (place.kind === 'registry_key')
    return `${use} It works while the key that signed its line is published. ${more}`;
  const where = isInRepository(place.kind) ? `in ${claimFile}` : 'where it is';
  return `${use} Keep its line ${where}. If two checks a day or more apart do not find the line, the capability is suspended. ${more}`;
}

export function nextWhenNotProven(place: ProofPlace, file: string): string {
  const renew = 'Omit challenge to get a new one.';
  if (place.kind === 'repository')
    return `Commit the challenge line in ${file} at the root of the default branch, then send the same request again. ${renew}`;
  const then = place.kind === 'registry_key' ? '' : 'Then send the same request again. ';
  return `${claimMethods[place.kind].whereToPut(place, file)} ${then}${renew}`;
}

/** `presented` is of the claim. */
export interface Issuing {
  readonly standing: StandingClaim;
  readonly presented: Capability | undefined;
  /** A further challenge and capability. */
  readonly isRotating: boolean;
  readonly context: Context;
}

export const foretellAsked = (
  place: ProofPlace,
  { standing, presented }: Pick<Issuing, 'standing' | 'presented'>,
) => foretell(standing, { place, isCosigned: presented !== undefined });

export const foretoldOf = (
  reason: CheckResult,
  { kind }: ProofPlace,
  { standing }: Pick<Issuing, 'standing'>,
): string | undefined =>
  reason === 'repository_moved' && kind === 'repository' ? foretellMoved(standing) : undefined;

/** Stores nothing. If the shared check is `proven` and the claim is not, the check is out of date. */
export async function toIssued(
  target: ClaimTarget,
  checked: CheckedClaim,
  issuing: Issuing & { readonly isNothingFound: boolean },
): Promise<ClaimResponse> {
  const { standing, presented, context, isRotating, isNothingFound } = issuing;
  const { claim } = standing;
  const { claimFile, publicUrl } = context.config;
  const [key] = await claimKeyRing(context);
  const at_s = Math.floor(context.clock().getTime() / 1000);
  const capability = createCapability();
  const hash = capabilityHash(capability);
  const continues = claim && presented ? continuationOf(claim, presented) : undefined;
  const challenge = createChallenge(key, { ...bindingOf(target, context), continues }, { hash, at_s });
  const { result } = checked.check;
  const isRefused = !isRotating && !isNothingFound;
  const reason = isRefused && result === 'proven' ? 'reused' : result;
  const foretold = foretoldOf(reason, target.place, issuing);
  return {
    status: isRefused ? 'not_proven' : 'challenge_issued',
    ...toCommonFields(target, checked, context),
    challenge,
    file_contents: `# Claim of ${target.listing.handle} at ${publicUrl}\n${challenge}\n`,
    capability,
    capability_id: capabilityId(hash),
    expires_at: new Date((at_s + challengeLife_s) * 1000).toISOString(),
    ...(isRefused && { reason }),
    ...messageOf(reason, { target, checked, foretold }, context),
    next: [foretellAsked(target.place, issuing), nextWhenIssued(target.place, claimFile, issuing)]
      .filter(Boolean)
      .join(' '),
  };
}

export async function toClaimed(
  target: ClaimTarget,
  checked: CheckedClaim,
  claim: Claim,
  issuing: Issuing,
): Promise<ClaimResponse> {
  const { context, standing } = issuing;
  const { capabilities } = standing;
  const { handle, hidden } = target.listing;
  const receiptKeys = hidden ? [] : await context.store.claims.receiptKeys(handle);
  const { message } = messageOf(checked.check.result, { target, checked }, context);
  const failing = failingText(claim);
  const messages = [message, ...waitingTexts(capabilities), failing && toSentence(failing)].filter(Boolean);
  return {
    status: 'claimed',
    ...toCommonFields(target, checked, context),
    claimed_at: claim.claimed_at,
    ...(claim.commit && { commit: claim.commit }),
    capabilities: capabilities
      .filter(({ state }) => state === 'active')
      .map(({ id, activated_at }) => ({ id, activated_at })),
    ...(receiptKeys.length > 0 && { receipt_keys: toShownKeys(receiptKeys) }),
    changed: checked.changed,
    ...(messages.length > 0 && { message: messages.join(' ') }),
    next: nextWhenClaimed(target.place, issuing),
  };
}

/** @throws listing_withdrawn if no opt-out line did it */
export async function toOptedOut(
  target: ClaimTarget,
  checked: CheckedClaim,
  context: Context,
): Promise<ClaimResponse> {
  const { handle } = target.listing;
  const line = await readWithdrawing(handle, context);
  if (!line) throw new Problem('listing_withdrawn');
  const events = await context.store.claims.history(handle);
  const event = events.findLast(({ type }) => type === 'listing_withdrawn');
  return {
    status: 'opted_out',
    ...toCommonFields(target, checked, context),
    ...(event && { opted_out_at: event.at }),
    message: [optOutText(line, undefined), ...withdrawn.slice(0, 2)].join(' '),
    next: optOutEnd,
  };
}
