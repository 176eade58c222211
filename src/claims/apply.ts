import { isDeepStrictEqual } from 'node:util';
import { capabilityHash, capabilityId } from '../core/keys/capability.ts';
import { isGone } from '../listings/listing.ts';
import type { Reads } from '../store/store.ts';
import { type Challenge, readChallenge, toKeyText } from './challenge.ts';
import {
  afterProof,
  type Capability,
  type Claim,
  type ClaimFile,
  type Missing,
  type OptOut,
  type ProofPlace,
  parseClaimFile,
  type SeenFacts,
} from './claim.ts';
import { afterReading, type ClaimVerdict, type JudgedFacts, judge, type ReadLine, toEvent } from './judge.ts';
import type { LocationReading } from './locations.ts';
import type { CheckResult } from './methods.ts';
import { applyOptOuts } from './opt-out.ts';
import type { ClaimTransaction } from './schema.ts';
import { isAt, isLapsed, isLiving, type MissingProof } from './standing.ts';
import {
  endCapability,
  noteMissing,
  recordClaimEvent,
  recordReceiptKeys,
  recordRoot,
  recordUnread,
  suspendClaim,
} from './suspend.ts';

export interface ReadingOutcome {
  readonly result: CheckResult;
  readonly changed: NonNullable<ReturnType<typeof toEvent>> | 'none';
  readonly seen?: SeenFacts | undefined;
  /** Why a judged line has no working capability, by its hash. Absent if no line was judged. */
  readonly reasons?: ClaimVerdict['reasons'];
  /** An opt-out line that was read and does not withdraw the listing now. */
  readonly optOut: OptOut | undefined;
}

const issuedAt = ({ issued_s }: Challenge) => new Date(issued_s * 1000).toISOString();
const provenRoot = (seen: SeenFacts | undefined, { root }: ProofPlace) =>
  seen ? `dns:${seen.domain}` : root;

function linesOf(challenges: readonly string[], { read: { seen }, place }: LocationReading): ReadLine[] {
  return challenges
    .flatMap((text) => readChallenge(text) ?? [])
    .map((challenge) => ({
      hash: challenge.hash,
      issued_at: issuedAt(challenge),
      challenge,
      root: provenRoot(seen, place),
      seen,
    }));
}

/** Besides the signed line, those of stored capabilities whose signing key is still published. */
function signedLinesOf(
  { read, signed, place }: LocationReading,
  claim: Claim | undefined,
  own: readonly Capability[],
) {
  const keys = (read.result === 'file' && read.keys) || [];
  const lines = own.flatMap(({ hash, issued_at, signed_by }): ReadLine[] => {
    const published = keys.filter((key) => toKeyText(key) === signed_by);
    const key = published.find(({ seen }) => provenRoot(seen, place) === claim?.root) ?? published[0];
    if (!key || signed_by === undefined || hash === signed?.hash) return [];
    return [{ hash, issued_at, root: provenRoot(key.seen, place), seen: key.seen, signed_by }];
  });
  if (!signed) return lines;
  const { signer, ...challenge } = signed;
  const proven = signer
    ? { root: provenRoot(signer.seen, place), seen: signer.seen, signed_by: toKeyText(signer) }
    : { root: place.root, isForged: true as const };
  return [...lines, { hash: signed.hash, issued_at: issuedAt(signed), challenge, ...proven }];
}

/** They have not ended or lapsed, and the operator has not revoked them. */
export async function readCosigners(
  { claims, moderation }: Pick<Reads, 'claims' | 'moderation'>,
  { handle, now }: { readonly handle: string; readonly now: Date },
): Promise<Capability[]> {
  const all = await claims.capabilities(handle);
  const living = all.filter((row) => isLiving(row) && !isLapsed(row, now));
  const against = await Promise.all(
    living.map(({ id }) => moderation.active({ target_kind: 'capability', target: id })),
  );
  return living.filter((_, at) => against[at]?.length === 0);
}

type Judged = Awaited<ReturnType<typeof judgeLines>>;

/** While the operator blocks writing, only active capabilities are judged, so none is added or restored. */
async function judgeLines(
  tx: ClaimTransaction,
  { challenges, secrets }: Pick<ClaimFile, 'challenges' | 'secrets'>,
  [reading, claim]: [LocationReading, Claim | undefined],
) {
  const { listing, place, read, binding, ring, now, isBlocked } = reading;
  const { handle } = listing;
  const all = await tx.claims.capabilities(handle);
  const own = isBlocked ? all.filter(({ state }) => state === 'active') : all;
  const found =
    place.kind === 'registry_key' ? signedLinesOf(reading, claim, own) : linesOf(challenges, reading);
  const lines = found.filter(({ hash }) => !isBlocked || own.some((row) => row.hash === hash));
  const known = new Map(own.map((row) => [row.hash, row]));
  for (const { hash } of lines) {
    const row = known.get(hash) ?? (await tx.claims.capability(hash));
    if (row) known.set(hash, row);
  }
  const facts: JudgedFacts = {
    handle,
    listing,
    place,
    pinned: read.pinned,
    leaked: new Set(secrets.map(capabilityHash)),
    claim,
    known,
    cosigners: await readCosigners(tx, { handle, now }),
    binding,
    ring,
    now,
  };
  return { facts, verdict: judge(lines, facts) };
}

/** Also records lines that began to wait or are gone. */
async function writeLines(
  tx: ClaimTransaction,
  { verdict, facts }: Judged,
  [claim, { read, now }]: [Claim, LocationReading],
) {
  // The capabilities of a claim that ends were suspended since they were read.
  const isBegun = verdict.counted.length > 0 && !verdict.continues;
  for (const row of afterReading(verdict, facts)) {
    const known = facts.known.get(row.hash);
    if (!isBegun && isDeepStrictEqual(row, known)) continue;
    await tx.claims.putCapability(row);
    const isAdded = !known && row.state === 'waiting';
    const isRemoved = known?.state === 'waiting' && row.state === 'revoked' && row.missing_at !== undefined;
    if (isAdded || isRemoved)
      await recordClaimEvent(tx, claim, {
        ...(isAdded ? { type: 'line_added' } : { type: 'revoked', reason: 'line_removed' }),
        at: now.toISOString(),
        ...(read.commit && { commit: read.commit }),
        capability_id: row.id,
      });
  }
}

async function toClaim(
  tx: ClaimTransaction,
  newest: ReadLine,
  type: ReturnType<typeof toEvent>,
  { verdict: { continues }, facts: { claim, handle } }: Judged,
  { read, place, now }: LocationReading,
): Promise<Claim> {
  const known = continues ? claim : undefined;
  const same = known && isAt(known, place) ? known : undefined;
  const at = now.toISOString();
  const { root, root_generation } = known ?? {
    root: newest.root,
    root_generation: await tx.claims.nextRootGeneration(handle, newest.root),
  };
  const proof = { type: type ?? 'restored', at, kind: place.kind, place: place.shown, commit: read.commit };
  return {
    handle,
    ...afterProof(known, { ...proof, root, root_generation }),
    place_key: place.key,
    seen: newest.seen,
    proven_commit: read.commit ?? same?.proven_commit,
    proven_at: read.commit ? at : same?.proven_at,
    checked_at: same && !read.pinned ? same.checked_at : at,
  };
}

async function applyProof(
  tx: ClaimTransaction,
  newest: ReadLine,
  judged: Judged,
  reading: LocationReading,
): Promise<ReadingOutcome['changed']> {
  const { verdict, facts } = judged;
  const { handle, claim, known } = facts;
  const at = reading.now.toISOString();
  const after = afterReading(verdict, facts);
  const event = toEvent(verdict, after, facts);
  if (!verdict.continues) await suspendClaim(tx, claim, { reason: 'proof_missing', at });
  const proven = await toClaim(tx, newest, event, judged, reading);
  await tx.claims.putClaim(proven);
  await recordRoot(tx, proven, claim, at);
  const { commit } = reading.read;
  const active = after.find(({ hash, state }) => state === 'active' && known.get(hash)?.state !== 'active');
  if (event)
    await recordClaimEvent(tx, proven, {
      type: event,
      at,
      ...(commit && { commit }),
      ...(active && { capability_id: active.id }),
    });
  await writeLines(tx, judged, [proven, reading]);
  if (event) await tx.listings.reindex(handle);
  return event ?? 'none';
}

/** Further published capabilities that never worked are not stored. Nobody publishes so many by mistake. */
const leakedLimit = 256;

/** A published capability that never worked is stored, so that no later line makes it work. */
async function endLeaked(
  tx: ClaimTransaction,
  handle: string,
  known: Claim | undefined,
  secrets: readonly string[],
  at: string,
): Promise<Claim | undefined> {
  let claim = known;
  let left = leakedLimit - (await tx.claims.leakedCount(handle));
  for (const hash of secrets.map(capabilityHash)) {
    const row = await tx.claims.capability(hash);
    if (row) {
      const theirs = row.handle === handle ? claim : await tx.claims.claim(row.handle);
      const after = await endCapability(tx, theirs, row, { state: 'leaked', at });
      if (row.handle === handle) claim = after ?? claim;
    } else if (left-- > 0)
      await tx.claims.putCapability({
        hash,
        id: capabilityId(hash),
        handle,
        state: 'leaked',
        issued_at: at,
        activated_at: at,
        ended_at: at,
      });
  }
  return claim;
}

function missingOf(result: CheckResult, { pinned }: LocationReading['read']): Missing | undefined {
  if (['repository_not_found', 'repository_moved', 'repository_empty'].includes(result)) return 'place';
  return pinned && !/^(host_|redirect_|not_text|html_page|too_large)/.test(result) ? 'line' : undefined;
}

async function applyFailure(
  tx: ClaimTransaction,
  result: CheckResult,
  { place, read, now, onMissing }: LocationReading,
  claim: Claim | undefined,
) {
  if (!claim || !isAt(claim, place)) return;
  const missing = missingOf(result, read);
  if (missing === undefined) return recordUnread(tx, claim, now, { isAsked: onMissing === undefined });
  const found: MissingProof = { claim, result, missing, now, commit: read.commit };
  if (onMissing) onMissing(found);
  else await noteMissing(tx, found);
}

/**
 * A reading of a withdrawn listing proves no claim. If an authoritative one found the line of a suspended
 * capability, the 30 days in which it can restore the capability begin again.
 */
async function noteMeanwhile(
  tx: ClaimTransaction,
  { verdict, facts: { known, claim } }: Judged,
  { place, read, now }: LocationReading,
) {
  if (!read.pinned || !claim || !isAt(claim, place)) return;
  const at = now.toISOString();
  for (const { hash } of verdict.counted)
    if (known.get(hash)?.state === 'suspended') await tx.claims.setCapabilityState(hash, 'suspended', at);
  await tx.claims.putClaim({ ...claim, checked_at: at, tried_at: undefined, missing: undefined });
}

/** With a signature, the text at the location is not read, so the receipt keys there are not known. */
async function applyReceiptKeys(
  tx: ClaimTransaction,
  { receiptKeys }: ClaimFile,
  { listing, place, read: { commit, pinned }, now, signed }: LocationReading,
) {
  const claim = await tx.claims.claim(listing.handle);
  const where = { kind: place.kind, place: place.shown, ...(commit && { commit }) };
  const keys = receiptKeys.map((key) => ({ ...key, ...where }));
  const seen = { keys, at: now.toISOString(), isComplete: pinned && !signed };
  if (claim) await recordReceiptKeys(tx, claim, seen, commit);
}

const noLines = { challenges: [], secrets: [] };

export async function applyReading(
  tx: ClaimTransaction,
  reading: LocationReading,
  known: Claim | undefined,
): Promise<ReadingOutcome> {
  const { listing, read, now } = reading;
  const { handle } = listing;
  const file = read.result === 'file' ? parseClaimFile(read.text) : read.result;
  const isRead = typeof file !== 'string';
  const { claim: heard, waiting: optOut } = await applyOptOuts(tx, reading, known, file);
  const claim = isRead ? await endLeaked(tx, handle, heard, file.secrets, now.toISOString()) : heard;
  // `applyOptOuts` may have withdrawn or restored the listing just now.
  const current = await tx.listings.byHandle(handle);
  const isShown = current !== undefined && !isGone(current);
  const isBlocked = isShown && reading.isBlocked;
  const judged = await judgeLines(tx, isRead ? file : noLines, [{ ...reading, isBlocked }, claim]);
  const { verdict } = judged;
  const result = isRead ? verdict.reason : file;
  const [newest] = verdict.counted;
  const isFound = newest !== undefined && (isShown || verdict.continues);
  if (!isFound && (!isRead || !isBlocked || claim?.state === 'claimed')) {
    const isLineMissing =
      isShown && claim && isAt(claim, reading.place) && missingOf(result, read) === 'line';
    if (isLineMissing) await writeLines(tx, judged, [claim, reading]);
    await applyFailure(tx, result, reading, claim);
  }
  if (!isShown) {
    if (isFound) await noteMeanwhile(tx, judged, reading);
    return { result: 'listing_withdrawn', changed: 'none', optOut };
  }
  if (!isRead) return { result, changed: 'none', optOut };
  const { reasons } = verdict;
  if (!isFound) return { result, changed: 'none', reasons, optOut };
  const changed = await applyProof(tx, newest, judged, reading);
  await applyReceiptKeys(tx, file, reading);
  const isClean = file.secrets.length === 0;
  return { result: isClean ? 'proven' : result, changed, seen: newest.seen, reasons, optOut };
}
