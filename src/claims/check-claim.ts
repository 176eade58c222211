import type { Context } from '../context.ts';
import { type ChallengeBinding, readChallenge } from '../evidence/claim/challenge.ts';
import { parseClaimFile } from '../evidence/claim/claim-file.ts';
import { claimMethods } from '../evidence/claim/methods/index.ts';
import type { ClaimKind, ProofPlace } from '../evidence/claim/proof-place.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import { waitsForSecondCheck } from '../evidence/listing/state/opt-out.ts';
import { Problem } from '../problem.ts';
import type { ListingReads } from '../store/contract/listings.ts';
import type { Proof, SignedChallenge } from './activate.ts';
import { applyProof, type ProofOutcome } from './apply-proof.ts';
import type { ClaimCheck } from './check-results.ts';
import { window_ms } from './checks/current-check.ts';
import { runSharedCheck, type SaveOutcome } from './checks/shared-check.ts';
import { checkContinuity } from './continuity.ts';
import { claimKeyRing } from './keys.ts';
import type { PlaceCheck, SeenKey } from './places/place-check.ts';
import { readPlace } from './places/read-place.ts';

/** A listing that can be claimed, and the place to check. */
export interface ClaimTarget {
  readonly listing: Listing;
  readonly place: ProofPlace;
}

/** The outcome of a check; `optedOut` if the claim file withdraws the listing, `note` if it is about to. */
export interface CheckedClaim {
  readonly check: ClaimCheck;
  readonly changed: ProofOutcome['changed'];
  readonly optedOut: boolean;
  readonly note?: string;
  /** The keys that a domain publishes, where signatures prove. */
  readonly keys?: readonly SeenKey[];
  /** Whether the next call looks again at once (claims/shared-check.ts). */
  readonly isRepeatable?: boolean;
}

/**
 * A listing as a check needs it: one that an opt-out line withdrew has the repository of that line, if it stands in one. Undefined for an
 * unknown one and for one that the registry deleted or the operator withdrew.
 */
export async function findToCheck(handle: string, reads: ListingReads): Promise<Listing | undefined> {
  const listing = await reads.byHandle(handle);
  if (listing?.withdrawn === 'deleted' || listing?.withdrawn === 'operator') return undefined;
  if (listing?.withdrawn !== 'optout') return listing;
  const optOut = await reads.optOut(handle);
  return { ...listing, repository: optOut?.kind === 'repository' ? optOut.place : undefined };
}

/** What was read at a place, and the signature that a request sent, if it did. */
export interface Looked {
  readonly read: PlaceCheck;
  readonly signed?: SignedChallenge;
}

/** What the challenges of a listing are bound to. */
export const bindingOf = ({ listing, place }: ClaimTarget, { config }: Context): ChallengeBinding => ({
  origin: config.publicUrl,
  handle: listing.handle,
  placeKey: place.key,
});

/** The name of a place, under which its checks are stored. */
export const toSubject = ({ kind, key }: ProofPlace): string => `${kind} ${key}`;

/** Where a claim of this listing is checked in one way; undefined if it cannot be. */
export function findTarget(
  listing: Listing,
  kind: ClaimKind,
  { repositories }: Context,
): ClaimTarget | undefined {
  const place = claimMethods[kind].placeOf(listing, (address) => repositories.place(address)?.key);
  return place && { listing, place };
}

/** The recorded repository, where every claim is checked unless another way is asked for. Throws no_repository, host_unsupported or listing_withdrawn. */
export function toRepositoryTarget(listing: Listing, context: Context): ClaimTarget {
  const target = findTarget(listing, 'repository', context);
  if (!target && listing.withdrawn === 'optout') throw new Problem('listing_withdrawn');
  if (!target) throw new Problem(listing.repository ? 'host_unsupported' : 'no_repository');
  return target;
}

function toChecked(
  read: PlaceCheck,
  { result, changed, seen = read.seen, optOut }: ProofOutcome,
  at: Date,
): CheckedClaim {
  const { commit, branch, pinned } = read;
  const wait_s = read.result === 'file' ? undefined : read.retry_after_s;
  const check: ClaimCheck = {
    result: result === 'optout' ? 'proven' : result,
    at: at.toISOString(),
    ...(commit && { commit }),
    ...(branch && { branch }),
    ...seen,
    pinned,
    ...(wait_s !== undefined && { retry_after_s: wait_s }),
  };
  const note = optOut?.state === 'seen' && waitsForSecondCheck(optOut);
  const keys = read.result === 'file' && read.keys;
  return { check, changed, optedOut: result === 'optout', ...(note && { note }), ...(keys && { keys }) };
}

/** Whether the host answered and the next step is the claimant's: to commit a line. */
const isAnswered = ({ check: { result } }: CheckedClaim) =>
  result !== 'proven' && !/^(host_|redirect_|dns_no_answer)/.test(result);

/** Hashes of the challenges in the place of a claim in force that another account or domain proved. */
async function readStanding({ listing, place }: ClaimTarget, context: Context): Promise<Set<string>> {
  const claim = await context.store.claims.claim(listing.handle);
  const other = claim?.state === 'claimed' && claim.kind !== place.kind ? claim.kind : undefined;
  const target = other && findTarget(listing, other, context);
  if (!target || claim?.root === place.root) return new Set();
  const read = await readPlace(target.place, listing.handle, context);
  const file = read.result === 'file' ? parseClaimFile(read.text) : 'too_large';
  const challenges = typeof file === 'string' ? [] : file.challenges;
  return new Set(challenges.flatMap((text) => readChallenge(text)?.hash ?? []));
}

const hasLines = (read: PlaceCheck) => read.result === 'file' && read.text.includes('dossier-claim-v1.');

/** Everything that is read before a check is applied; `signed` proves by itself and is checked against keys read before. */
async function prepare(target: ClaimTarget, looked: Looked, context: Context): Promise<Omit<Proof, 'now'>> {
  const { read, isContinuous } = await checkContinuity(target, looked.read, context);
  const { signed } = looked;
  const standing = signed || hasLines(read) ? await readStanding(target, context) : new Set<string>();
  const ring = await claimKeyRing(context);
  return { ...target, read, isContinuous, standing, signed, binding: bindingOf(target, context), ring };
}

/** Applies what was read in one transaction. Throws unavailable if the listing changed meanwhile. */
export async function applyLook(
  target: ClaimTarget,
  looked: Looked,
  { context, save }: { context: Context; save?: SaveOutcome },
): Promise<CheckedClaim> {
  const prepared = await prepare(target, looked, context);
  const now = context.clock();
  return context.store.write(async (tx) => {
    const { listing } = target;
    const current = await findToCheck(listing.handle, tx.listings);
    if (current?.withdrawn !== listing.withdrawn || current?.repository !== listing.repository)
      throw new Problem('unavailable', { detail: 'The listing changed during the check.', retry_after_s: 1 });
    const checked = toChecked(prepared.read, await applyProof(tx, { ...prepared, now }), now);
    await save?.(tx, checked, isAnswered(checked));
    return checked;
  });
}

async function checkAndApply(
  target: ClaimTarget,
  context: Context,
  save: SaveOutcome,
): Promise<CheckedClaim> {
  const read = await readPlace(target.place, target.listing.handle, context);
  return applyLook(target, { read }, { context, save });
}

/** Whole seconds, 1 to 30, until a place that was checked at `begun_ms` may be checked again. */
const untilNext_s = (begun_ms: number, now_ms: number) =>
  Math.min(Math.max(Math.ceil((begun_ms + window_ms - now_ms) / 1000), 1), window_ms / 1000);

/**
 * Checks a place and applies what its lines say, at most once per listing, place and 30 seconds across
 * all nodes, not counting a first look that comes before the commit. In between it returns the last check, with the seconds until the next one is possible.
 */
export async function checkClaim(target: ClaimTarget, context: Context): Promise<CheckedClaim> {
  const subject = { handle: target.listing.handle, place: toSubject(target.place) };
  const { outcome, begun_ms, isOwn } = await runSharedCheck(subject, context, (save) =>
    checkAndApply(target, context, save),
  );
  if (isOwn) return outcome;
  const { check } = outcome;
  if (outcome.isRepeatable) return { ...outcome, changed: 'none' };
  const wait_s = untilNext_s(begun_ms, context.clock().getTime());
  const retry_after_s = Math.max(wait_s, check.retry_after_s ?? 0);
  return {
    ...outcome,
    check: check.result === 'proven' ? check : { ...check, retry_after_s },
    changed: 'none',
  };
}
