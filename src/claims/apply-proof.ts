import { capabilityHash, capabilityId } from '../evidence/claim/capability.ts';
import { type ClaimFile, parseClaimFile } from '../evidence/claim/claim-file.ts';
import type { SeenFacts } from '../evidence/claim/proof-place.ts';
import type { SeenReceiptKey } from '../evidence/claim/receipt-keys.ts';
import type { OptOut } from '../evidence/listing/state/opt-out.ts';
import type { Transaction } from '../store/store.ts';
import { activate, type ClaimChange } from './activate.ts';
import { endCapability } from './capability/end-capability.ts';
import type { CheckResult } from './check-results.ts';
import { applyOptOut } from './opt-out.ts';
import { judgeProof } from './proof/judge-proof.ts';
import type { Proof } from './proof/proof.ts';
import { recordUnread, suspendClaim } from './suspend.ts';

/** The outcome of a check for the claim. */
export interface ProofOutcome {
  readonly result: CheckResult | 'optout';
  readonly changed: ClaimChange;
  /** What the check of a domain saw. */
  readonly seen?: SeenFacts | undefined;
  /** The opt-out line that is in force. */
  readonly optOut: OptOut | undefined;
}

/** Never activated capabilities stored as leaked, for one listing; more than these are not leaked by mistake. */
const leakedLimit = 256;

/** Ends the capabilities that the file leaks. Those never activated are stored as leaked, so that they never work. */
async function endLeaked(
  tx: Transaction,
  handle: string,
  { secrets, at }: { secrets: readonly string[]; at: string },
) {
  let room = leakedLimit - (await tx.claims.leakedCount(handle));
  for (const hash of secrets.map(capabilityHash)) {
    const row = await tx.claims.capability(hash);
    if (row) await endCapability(tx, row, { state: 'leaked', at });
    else if (room-- > 0)
      await tx.claims.addCapability({
        hash,
        id: capabilityId(hash),
        handle,
        state: 'leaked',
        issued_at: at,
        activated_at: at,
        ended_at: at,
      });
  }
}

/** Results that say nothing about whether the line is there. */
const isInconclusive = (result: CheckResult) =>
  /^(host_|redirect_|repository_|not_text|too_large)/.test(result);

/** Suspends a claim without a usable line where it was proven: at once after an authoritative reading, else after many checks that read nothing. */
async function applyFailure(
  tx: Transaction,
  result: CheckResult,
  { listing: { handle }, place, read, now }: Proof,
) {
  const claim = await tx.claims.claim(handle);
  if (claim?.kind !== place.kind) return;
  const at = now.toISOString();
  const isAnother = result === 'repository_id_mismatch';
  if (read.pinned && (isAnother || !isInconclusive(result))) {
    await suspendClaim(tx, {
      handle,
      reason: isAnother ? 'repository_changed' : 'proof_missing',
      at,
      ...(read.commit && { commit: read.commit }),
    });
    const after = await tx.claims.claim(handle);
    if (after) await tx.claims.putClaim({ ...after, checked_at: at, failed_days: undefined });
  } else await recordUnread(tx, claim, now);
}

/** The keys for receipts in a text, and where it was read. */
const toSeenKeys = ({ receiptKeys }: ClaimFile, { place, read: { commit } }: Proof): SeenReceiptKey[] =>
  receiptKeys.map((key) => ({ ...key, kind: place.kind, place: place.shown, ...(commit && { commit }) }));

/** Applies one check in the caller's transaction: opt-out, leaked capabilities, activation or suspension, with history and log. */
export async function applyProof(tx: Transaction, proof: Proof): Promise<ProofOutcome> {
  const { listing, read, now } = proof;
  const at = now.toISOString();
  const file = read.result === 'file' ? parseClaimFile(read.text) : read.result;
  const optOut = await applyOptOut(tx, proof, file);
  if (optOut?.state === 'withdrawn') return { result: 'optout', changed: 'none', optOut };
  if (typeof file === 'string') {
    await applyFailure(tx, file, proof);
    return { result: file, changed: 'none', optOut };
  }
  await endLeaked(tx, listing.handle, { secrets: file.secrets, at });
  const { usable, reason, proven } = await judgeProof(tx, file, proof);
  if (usable.length === 0) await applyFailure(tx, reason, proof);
  const changed = usable.length > 0 ? await activate(tx, usable, proven) : 'none';
  if (usable.length > 0) {
    // A request with a signature reads no text.
    const isComplete = read.pinned && !proof.signed;
    await tx.ratings.putReceiptKeys(listing.handle, { keys: toSeenKeys(file, proof), at, isComplete });
  }
  const isProven = usable.length > 0 && file.secrets.length === 0;
  return { result: isProven ? 'proven' : reason, changed, seen: proven.read.seen, optOut };
}
