import { capabilityHash, capabilityId } from '../evidence/claim/capability.ts';
import { readChallenge } from '../evidence/claim/challenge.ts';
import { type ClaimFile, parseClaimFile } from '../evidence/claim/claim-file.ts';
import type { Transaction } from '../store/store.ts';
import { activate, type ClaimChange, type Proof } from './activate.ts';
import type { CheckResult } from './check-results.ts';
import { endCapability } from './end-capability.ts';
import { judgeLines } from './judge-lines.ts';
import { withdrawByOptout } from './opt-out.ts';
import { suspendClaim } from './suspend.ts';

/** What a proof came to. */
export interface ProofOutcome {
  readonly result: CheckResult | 'optout';
  readonly changed: ClaimChange;
}

const patience_ms = 30 * 86_400_000;

/** Unused capabilities that are remembered as published, for one listing: nobody loses hundreds by mistake. */
const mostBurnt = 256;

/** Ends capabilities that somebody committed, also those that were never used, so that they never will be. */
async function burn(
  tx: Transaction,
  handle: string,
  { secrets, at }: { secrets: readonly string[]; at: string },
) {
  let room = mostBurnt - (await tx.claims.burnt(handle));
  for (const hash of secrets.map(capabilityHash)) {
    const row = await tx.claims.capability(hash);
    if (row) await endCapability(tx, row, { state: 'burnt', at });
    else if (room-- > 0)
      await tx.claims.addCapability({
        hash,
        id: capabilityId(hash),
        handle,
        state: 'burnt',
        issued_at: at,
        activated_at: at,
        ended_at: at,
      });
  }
}

async function judge(tx: Transaction, file: ClaimFile, { listing, place, binding, ring, now }: Proof) {
  const claim = await tx.claims.claim(listing.handle);
  const challenges = file.challenges.flatMap((text) => readChallenge(text) ?? []);
  const rows = await Promise.all(challenges.map(({ hash }) => tx.claims.capability(hash)));
  const known = rows
    .filter((row) => row !== undefined)
    .filter(({ state }) => state === 'revoked' || state === 'burnt' || claim?.repository_key === place.key);
  return judgeLines(file, { binding, ring, known, now_s: Math.floor(now.getTime() / 1000) });
}

/** No line counts: a file that was read at HEAD's commit suspends at once, silence of the host after 30 days. */
async function lapse(tx: Transaction, result: CheckResult, { listing: { handle }, look, now }: Proof) {
  const claim = await tx.claims.claim(handle);
  if (!claim) return;
  const at = now.toISOString();
  const isAuthoritative = look.pinned && !/^(host_|redirect_|repository_|not_text|too_large)/.test(result);
  if (isAuthoritative) {
    await suspendClaim(tx, {
      handle,
      reason: 'proof_missing',
      at,
      ...(look.commit && { commit: look.commit }),
    });
    const after = await tx.claims.claim(handle);
    if (after) await tx.claims.putClaim({ ...after, checked_at: at });
  } else if (now.getTime() - Date.parse(claim.checked_at) > patience_ms) {
    await suspendClaim(tx, { handle, reason: 'host_unreachable_30d', at });
  }
}

/** Applies one look in the caller's transaction: opt-out, burning, activation or suspension, with history and log. */
export async function applyProof(tx: Transaction, proof: Proof): Promise<ProofOutcome> {
  const { listing, look, now } = proof;
  const at = now.toISOString();
  const file = look.result === 'file' ? parseClaimFile(look.text) : look.result;
  if (typeof file === 'string') {
    await lapse(tx, file, proof);
    return { result: file, changed: 'none' };
  }
  if (look.pinned && file.optouts.includes(listing.handle)) {
    await withdrawByOptout(tx, listing.handle, at);
    return { result: 'optout', changed: 'none' };
  }
  await burn(tx, listing.handle, { secrets: file.secrets, at });
  const { usable, trouble } = await judge(tx, file, proof);
  if (usable.length === 0) await lapse(tx, trouble, proof);
  const changed = usable.length > 0 ? await activate(tx, usable, proof) : 'none';
  const isProven = usable.length > 0 && file.secrets.length === 0;
  return { result: isProven ? 'proven' : trouble, changed };
}
