import type { Context } from '../context.ts';
import { readChallenge } from '../evidence/claim/challenge.ts';
import { parseClaimFile } from '../evidence/claim/claim-file.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import { Problem } from '../problem.ts';
import { applyProof } from './apply-proof.ts';
import { type CheckedClaim, isAnswered, toChecked } from './checked-claim.ts';
import type { SaveOutcome } from './checks/shared-check.ts';
import { bindingOf, type ClaimTarget, findTarget, findToCheck } from './checks/target.ts';
import { claimKeyRing } from './keys.ts';
import type { PlaceCheck } from './places/place-check.ts';
import { readPlace } from './places/read-place.ts';
import { checkContinuity } from './proof/continuity.ts';
import type { Proof, SignedChallenge } from './proof/proof.ts';

/** What was read at a place, and the signature that a request sent, if it did. */
interface Looked {
  readonly read: PlaceCheck;
  readonly signed?: SignedChallenge;
}

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

/**
 * Applies what was read in one transaction. Throws unavailable if the listing changed meanwhile, and, if somebody asked for
 * the check, what keeps them from writing by then.
 */
export async function applyLook(
  target: ClaimTarget,
  looked: Looked,
  { context, save, isAsked }: { context: Context; save?: SaveOutcome; isAsked: boolean },
): Promise<CheckedClaim> {
  const prepared = await prepare(target, looked, context);
  const now = context.clock();
  return context.store.write(async (tx) => {
    const { listing } = target;
    const current = await findToCheck(listing.handle, tx.listings);
    if (current?.withdrawn !== listing.withdrawn || current?.repository !== listing.repository)
      throw new Problem('unavailable', { detail: 'The listing changed during the check.', retry_after_s: 1 });
    if (isAsked)
      await requireMayWrite(
        { ...context, store: tx },
        { handle: listing.handle, roots: [target.place.root] },
      );
    const checked = toChecked(prepared.read, await applyProof(tx, { ...prepared, now }), now);
    await save?.(tx, checked, isAnswered(checked));
    return checked;
  });
}
