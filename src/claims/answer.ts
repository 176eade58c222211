import { z } from 'zod';
import type { Context } from '../context.ts';
import { capabilityHash, capabilityId, createCapability } from '../core/keys/capability.ts';
import { Problem, wrongField } from '../core/problem.ts';
import { counted, toSentence } from '../core/text.ts';
import type { Listing } from '../listings/listing.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { challengeLife_s, claimKeyRing, createChallenge, readChallenge } from './challenge.ts';
import { type CheckedClaim, checkClaim, checkSignature } from './checks/check.ts';
import { absences, type Capability, type Claim, type ClaimKind, placeMember } from './claim.ts';
import { continuationOf } from './judge.ts';
import { findPresented, keepingMethod, type LineEffect, lineEffect, readWays } from './line-effect.ts';
import { bindingOf, type ClaimTarget, findTarget, rootsOf, toRepositoryTarget } from './locations.ts';
import { type CheckResult, checkMessage, claimCheck, claimMethods, failingText } from './methods.ts';
import { shownReceiptKey, toShownKeys } from './receipt-keys.ts';
import { costOfNewClaim, lineRules, optOutEnd, optOutText, whileWithdrawn } from './rules.ts';
import { isAt, waitingText, waitingTexts } from './standing.ts';

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
 * the opt-out line that withdrew the listing, the claim that a new line is to keep, the easiest method.
 * @throws listing_withdrawn, no_repository, host_unsupported, method_unsupported or invalid_input
 */
export async function requireTarget(
  listing: Listing,
  request: ClaimRequest,
  context: Context,
): Promise<ClaimTarget> {
  requireFitting(request);
  const { claims, optOuts } = context.store;
  const ways = await readWays(listing, context);
  const offered = ways.map(({ place }) => place.kind);
  const optOut = listing.withdrawn === 'optout' ? await optOuts.withdrawing(listing.handle) : undefined;
  const claim = await claims.claim(listing.handle);
  const asked = request.method ?? (request.signature === undefined ? undefined : 'registry_key');
  const kind = asked ?? optOut?.kind ?? (claim ? keepingMethod(ways, claim.kind) : offered[0]);
  if (kind === undefined || kind === 'repository') return { ...toRepositoryTarget(listing, context), claim };
  const isOpen = [...offered, claim?.kind, optOut?.kind].includes(kind);
  const target = isOpen ? findTarget(listing, kind, context) : undefined;
  if (!target)
    throw new Problem(
      'method_unsupported',
      `${kind} cannot claim this listing; methods that can: ${offered.join(', ') || 'none'}.`,
    );
  if (optOut && optOut.kind !== kind) throw new Problem('listing_withdrawn', optOutText(optOut));
  return { ...target, claim };
}

function requireChallenge(text: string) {
  const challenge = readChallenge(text);
  if (challenge) return challenge;
  throw refuse('challenge', 'must be a challenge from claim_agent: dossier-claim-v1. and 72 more characters');
}

interface Asked {
  readonly target: ClaimTarget;
  readonly checked: CheckedClaim;
  /** After the check. */
  readonly claim: Claim | undefined;
  readonly capabilities: readonly Capability[];
  /** Of the claim. */
  readonly presented: Capability | undefined;
  /** A further challenge and capability. */
  readonly isRotating: boolean;
  /** Of a new line. */
  readonly effect: LineEffect | undefined;
  readonly context: Context;
}

export const isWaiting = (reason: string | undefined): boolean =>
  reason === 'line_waits' || reason === 'claimed_elsewhere';

const sentences = (...all: readonly (string | undefined | false)[]): string => all.filter(Boolean).join(' ');

function messageOf(
  reason: CheckResult,
  { target, checked: { check, note }, context: { config } }: Asked,
  more: readonly string[] = [],
) {
  const wait_s = check.retry_after_s;
  const message =
    reason === 'proven'
      ? sentences(note, ...more)
      : sentences(
          checkMessage(reason, target.place, config.claimFile),
          ...more,
          wait_s !== undefined &&
            `Checked at ${check.at}; the next check is possible in ${counted(wait_s, 'second')}.`,
          note,
        );
  return message ? { message } : {};
}

const toCommonFields = ({ target: { listing, place }, checked: { check }, context: { config } }: Asked) => ({
  handle: listing.handle,
  ...placeMember(place.kind, place.shown),
  claim_file: config.claimFile,
  check,
});

/** What a new line at the location does to the claim. */
function ruleFor({ claim, target, presented, effect }: Asked) {
  const withoutKey =
    'You sent no capability: this line works after seven days, and whoever has an old one can end it until then.';
  const what =
    effect === 'keeps the claim after seven days' && !presented ? withoutKey : `This line ${effect}.`;
  return claim && `${what} ${lineRules[isAt(claim, target.place) ? 0 : 2]} ${costOfNewClaim}`;
}

const howToPut = ({ target: { place }, context: { config } }: Asked, again: string) =>
  sentences(
    claimMethods[place.kind].whereToPut(place, config.claimFile),
    place.kind !== 'registry_key' && `Keep the lines that are there. Then send ${again}.`,
  );

function toUnproven({ hash }: { readonly hash: string }, asked: Asked): ClaimResponse {
  const { reasons, check } = asked.checked;
  const reason = reasons ? (reasons[hash] ?? 'no_challenge_in_file') : check.result;
  const row = asked.capabilities.find((one) => one.hash === hash);
  return {
    status: 'not_proven',
    ...toCommonFields(asked),
    reason,
    ...messageOf(reason, asked, row?.state === 'waiting' ? [waitingText(row)] : []),
    next: isWaiting(reason)
      ? 'Send the same request again to have the line checked again.'
      : sentences(
          howToPut(asked, 'the same request again'),
          'Omit challenge to get a new one.',
          ruleFor(asked),
        ),
  };
}

/** Stores nothing. If the shared check is `proven` and the claim is not, the check is out of date. */
async function toIssued(asked: Asked): Promise<ClaimResponse> {
  const { target, checked, claim, presented, isRotating, context } = asked;
  const { result } = checked.check;
  const isNothingFound =
    absences.includes(result) || (target.place.kind === 'registry_key' && result === 'no_challenge_in_file');
  const [key] = await claimKeyRing(context);
  const at_s = Math.floor(context.clock().getTime() / 1000);
  const capability = createCapability();
  const hash = capabilityHash(capability);
  const continues = claim && presented ? continuationOf(claim, presented) : undefined;
  const challenge = createChallenge(key, { ...bindingOf(target, context), continues }, { hash, at_s });
  const isRefused = !isRotating && !isNothingFound;
  const reason = isRefused && result === 'proven' ? 'reused' : result;
  // The next request must not have `rotate`, because it would only make another pair.
  const again = isRotating ? 'the request again without rotate' : 'the same request again';
  return {
    status: isRefused ? 'not_proven' : 'challenge_issued',
    ...toCommonFields(asked),
    challenge,
    file_contents: `# Claim of ${target.listing.handle} at ${context.config.publicUrl}\n${challenge}\n`,
    capability,
    capability_id: capabilityId(hash),
    expires_at: new Date((at_s + challengeLife_s) * 1000).toISOString(),
    ...(isRefused && { reason }),
    ...messageOf(reason, asked),
    next: sentences(
      ruleFor(asked),
      'The capability in this answer is a secret for your user to store: it is shown only once, must not be published, and belongs to the challenge.',
      howToPut(asked, target.place.kind === 'repository' ? again : `${again}, with this method`),
    ),
  };
}

function nextWhenClaimed({ target: { place }, presented, context: { config } }: Asked): string {
  return sentences(
    'Use the capability whose capability_id is in capabilities, as Authorization: Bearer.',
    place.kind === 'registry_key'
      ? 'It works while the key that signed its line is published.'
      : 'Keep its line where it is. If two checks a day or more apart do not find the line, the capability is suspended.',
    'Request with rotate: true to get a new capability.',
    !presented && lineRules[0],
    config.observe !== 'off' &&
      'POST /api/capability/check with it asks Dossier to check your service at once, at most every 10 minutes.',
  );
}

async function toClaimed(claim: Claim, asked: Asked): Promise<ClaimResponse> {
  const { target, checked, capabilities, context } = asked;
  const { handle, hidden } = target.listing;
  const receiptKeys = hidden ? [] : await context.store.claims.receiptKeys(handle);
  const failing = failingText(claim);
  const more = [...waitingTexts(capabilities), ...(failing ? [toSentence(failing)] : [])];
  return {
    status: 'claimed',
    ...toCommonFields(asked),
    claimed_at: claim.claimed_at,
    ...(claim.commit && { commit: claim.commit }),
    capabilities: capabilities
      .filter(({ state }) => state === 'active')
      .map(({ id, activated_at }) => ({ id, activated_at })),
    ...(receiptKeys.length > 0 && { receipt_keys: toShownKeys(receiptKeys) }),
    changed: checked.changed,
    ...messageOf(checked.check.result, asked, more),
    next: nextWhenClaimed(asked),
  };
}

/** @throws listing_withdrawn if no opt-out line did it */
async function toOptedOut(asked: Asked): Promise<ClaimResponse> {
  const { claims, optOuts } = asked.context.store;
  const { handle } = asked.target.listing;
  const line = await optOuts.withdrawing(handle);
  if (!line) throw new Problem('listing_withdrawn');
  const event = (await claims.history(handle)).findLast(({ type }) => type === 'listing_withdrawn');
  return {
    status: 'opted_out',
    ...toCommonFields(asked),
    ...(event && { opted_out_at: event.at }),
    message: sentences(optOutText(line), ...whileWithdrawn),
    next: optOutEnd,
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
  const { handle } = target.listing;
  const { claims } = context.store;
  const presented = await findPresented(target.listing, context);
  const capability_id = presented?.id;
  await requireMayWrite(context, {
    handle,
    roots: rootsOf(target.place, target.claim),
    ...(capability_id && { capability_id }),
  });
  const sent = request.challenge === undefined ? undefined : requireChallenge(request.challenge);
  const holder = presented?.state === 'active' ? capability_id : undefined;
  const checked = await checkTarget(target, request, { presented: holder, context });
  const claim = await claims.claim(handle);
  const capabilities = await claims.capabilities(handle);
  const isRotating = request.rotate === true;
  const effect = claim && (await lineEffect(target.listing, target.place, { claim, presented, context }));
  const asked: Asked = { target, checked, claim, capabilities, presented, isRotating, effect, context };
  if (checked.check.result === 'listing_withdrawn') return toOptedOut(asked);
  const isLive = !sent || capabilities.some(({ hash, state }) => hash === sent.hash && state === 'active');
  if (claim?.state === 'claimed' && isAt(claim, target.place) && isLive && (sent || !isRotating))
    return toClaimed(claim, asked);
  return sent ? toUnproven(sent, asked) : toIssued(asked);
}
