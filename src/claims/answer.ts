import type { Context } from '../context.ts';
import { capabilityHash, isCapability } from '../core/keys/capability.ts';
import { Problem, wrongField } from '../core/problem.ts';
import type { Listing } from '../listings/listing.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { claimKeyRing, findChallengeFailure, readChallenge } from './challenge.ts';
import type { CheckResult } from './check-results.ts';
import { type CheckedClaim, checkClaim, checkSignature } from './checks/check.ts';
import { absences, type ClaimKind } from './claim.ts';
import { optOutText } from './foretell/opt-out.ts';
import { findContinuingFailure } from './judge.ts';
import {
  bindingOf,
  type ClaimTarget,
  findMethods,
  findTarget,
  rootsOf,
  toRepositoryTarget,
} from './locations.ts';
import { readStanding } from './read-standing.ts';
import {
  type ClaimResponse,
  foretellAsked,
  foretoldOf,
  type Issuing,
  isWaiting,
  messageOf,
  nextWhenNotProven,
  toClaimed,
  toCommonFields,
  toIssued,
  toOptedOut,
} from './response.ts';
import { isAt, isLapsed, isLiving, waitingText } from './standing.ts';

export interface ClaimRequest {
  readonly method?: ClaimKind | undefined;
  readonly rotate?: boolean | undefined;
  readonly challenge?: string | undefined;
  readonly signature?: string | undefined;
}

const refuse = (field: string, message: string) => wrongField(field, message, `${field}: ${message}.`);

function requireFitting({ method, challenge, signature }: ClaimRequest) {
  if (signature === undefined) return;
  if (method !== undefined && method !== 'registry_key')
    throw refuse('signature', 'is for the method registry_key only');
  if (challenge === undefined) throw refuse('challenge', 'must be sent with its signature');
}

/**
 * Without a method in the request, a signature means `registry_key`. Otherwise the first of these decides:
 * the opt-out line that withdrew the listing, the claim, the easiest method.
 * @throws listing_withdrawn, no_repository, host_unsupported, method_unsupported or invalid_input
 */
export async function requireTarget(
  listing: Listing,
  request: ClaimRequest,
  context: Context,
): Promise<ClaimTarget> {
  requireFitting(request);
  const { claims, optOuts } = context.store;
  const offered = findMethods(listing, context).map(({ kind }) => kind);
  const optOut = listing.withdrawn === 'optout' ? await optOuts.withdrawing(listing.handle) : undefined;
  const claim = await claims.claim(listing.handle);
  const asked = request.method ?? (request.signature === undefined ? undefined : 'registry_key');
  const kind = asked ?? optOut?.kind ?? claim?.kind ?? offered[0];
  if (kind === undefined || kind === 'repository') return { ...toRepositoryTarget(listing, context), claim };
  const isOpen = [...offered, claim?.kind, optOut?.kind].includes(kind);
  const target = isOpen ? findTarget(listing, kind, context) : undefined;
  if (!target)
    throw new Problem(
      'method_unsupported',
      `${kind} cannot claim this listing; methods that can: ${offered.join(', ') || 'none'}.`,
    );
  if (optOut && optOut.kind !== kind) throw new Problem('listing_withdrawn', optOutText(optOut, undefined));
  return { ...target, claim };
}

function requireChallenge(text: string) {
  const challenge = readChallenge(text);
  if (challenge) return challenge;
  throw refuse('challenge', 'must be a challenge from claim_agent: dossier-claim-v1. and 72 more characters');
}

async function findPresented({ listing }: ClaimTarget, { store, caller, clock }: Context) {
  const { capability } = caller;
  if (capability === undefined || !isCapability(capability)) return undefined;
  const row = await store.claims.capability(capabilityHash(capability));
  const continues = row && isLiving(row) && !isLapsed(row, clock());
  return continues && row.handle === listing.handle ? row : undefined;
}

const isNothingFound = ({ place }: ClaimTarget, { check: { result } }: CheckedClaim) =>
  absences.includes(result) || (place.kind === 'registry_key' && result === 'no_challenge_in_file');

interface AskedClaim {
  readonly target: ClaimTarget;
  readonly checked: CheckedClaim;
  readonly issuing: Issuing;
}

async function findOwnReason(text: string, asked: AskedClaim): Promise<CheckResult | undefined> {
  const { target, issuing } = asked;
  const { standing, context } = issuing;
  const challenge = requireChallenge(text);
  const row = await context.store.claims.capability(challenge.hash);
  if (row?.state === 'leaked') return 'secret_published';
  if (row?.state === 'revoked') return 'reused';
  if (row?.handle === target.listing.handle) return undefined;
  const at = { ring: await claimKeyRing(context), now_s: Math.floor(standing.now.getTime() / 1000) };
  const binding = bindingOf(target, context);
  const failure = findChallengeFailure(challenge, binding, at);
  return failure === 'challenge_foreign' && standing.claim
    ? findContinuingFailure(challenge, { ...standing, claim: standing.claim, binding }, at)
    : failure;
}

async function toUnproven(text: string, asked: AskedClaim): Promise<ClaimResponse> {
  const { target, checked, issuing } = asked;
  const { context } = issuing;
  const said = checked.reasons?.[requireChallenge(text).hash];
  const unread = checked.reasons ? 'no_challenge_in_file' : checked.check.result;
  const reason = said ?? (await findOwnReason(text, asked)) ?? unread;
  const waiting = issuing.standing.capabilities.find(({ hash }) => hash === requireChallenge(text).hash);
  const foretold =
    waiting?.state === 'waiting' ? waitingText(waiting) : foretoldOf(reason, target.place, issuing);
  return {
    status: 'not_proven',
    ...toCommonFields(target, checked, context),
    reason,
    ...messageOf(reason, { target, checked, foretold }, context),
    next: isWaiting(reason)
      ? 'Send the same request again to have the line checked again.'
      : [nextWhenNotProven(target.place, context.config.claimFile), foretellAsked(target.place, issuing)]
          .filter(Boolean)
          .join(' '),
  };
}

async function checkTarget(
  target: ClaimTarget,
  { challenge, signature }: ClaimRequest,
  { presented, context }: { presented: string | undefined; context: Context },
) {
  // `checkSignature` needs the check that all callers share, so a holder gets no check of their own here.
  const checked = await checkClaim(target, context, signature === undefined ? { presented } : {});
  if (challenge === undefined || signature === undefined) return checked;
  return checkSignature(target, { checked, sent: { challenge, signature } }, context);
}

/**
 * @throws listing_withdrawn (if no opt-out line did it), invalid_input, writing_blocked, capability_revoked,
 * or a problem of the check
 */
export async function answerClaim(
  target: ClaimTarget,
  request: ClaimRequest,
  context: Context,
): Promise<ClaimResponse> {
  const { rotate, challenge } = request;
  const { handle } = target.listing;
  const presented = await findPresented(target, context);
  const capability_id = presented?.id;
  await requireMayWrite(context, {
    handle,
    roots: rootsOf(target.place, target.claim),
    ...(capability_id && { capability_id }),
  });
  const sent = challenge === undefined ? undefined : requireChallenge(challenge);
  const holder = presented?.state === 'active' ? capability_id : undefined;
  const checked = await checkTarget(target, request, { presented: holder, context });
  if (checked.check.result === 'listing_withdrawn') return toOptedOut(target, checked, context);
  const standing = await readStanding(handle, context);
  const { claim, capabilities } = standing;
  const isLive = !sent || capabilities.some(({ hash, state }) => hash === sent.hash && state === 'active');
  const issuing = { standing, presented, isRotating: rotate === true, context };
  if (claim?.state === 'claimed' && isAt(claim, target.place) && isLive && (sent || !rotate))
    return toClaimed(target, checked, claim, issuing);
  if (challenge !== undefined) return toUnproven(challenge, { target, checked, issuing });
  return toIssued(target, checked, { ...issuing, isNothingFound: isNothingFound(target, checked) });
}
