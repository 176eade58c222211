import type { Claim } from '../evidence/claim/claim.ts';
import type { ClaimFile } from '../evidence/claim/claim-file.ts';
import { type OptOut, secondCheck_ms } from '../evidence/listing/state/opt-out.ts';
import { toWithdrawn } from '../evidence/listing/state/withdrawn.ts';
import type { Transaction } from '../store/store.ts';
import type { Proof } from './activate.ts';
import { recordClaimEvent } from './record-event.ts';
import { suspendClaim } from './suspend.ts';

/** Adds the withdrawal or restoration to the listing's history and the log, with the control root if it was claimed there. */
async function recordListingEvent(
  tx: Transaction,
  { handle, repository, repository_key }: OptOut,
  event: {
    readonly type: 'listing_withdrawn' | 'listing_restored';
    readonly at: string;
    readonly reason: string;
  },
): Promise<void> {
  const claim = await tx.claims.claim(handle);
  const subject = claim?.place_key === repository_key ? claim : { handle };
  await recordClaimEvent(tx, { ...subject, kind: 'repository', place: repository }, event);
}

/** Deletes the publisher's text from the listing; handle, versions and claim history stay. */
async function withdraw(tx: Transaction, optOut: OptOut): Promise<OptOut> {
  const { handle, checked_at: at } = optOut;
  const listing = await tx.listings.byHandle(handle);
  if (!listing) return optOut;
  await suspendClaim(tx, { handle, reason: 'withdrawn', at });
  await tx.listings.putListings([toWithdrawn(listing, 'optout')]);
  await recordListingEvent(tx, optOut, { type: 'listing_withdrawn', at, reason: 'optout' });
  return { ...optOut, state: 'withdrawn', listing };
}

/** Why a withdrawn listing is listed again: `optout_removed`, `repository_changed`, or the operator's words. */
export interface Restoration {
  readonly at: string;
  readonly reason: string;
}

/** Records that a withdrawn listing is listed again; its opt-out line is forgotten. */
export async function recordRestored(tx: Transaction, optOut: OptOut, restoration: Restoration) {
  await tx.listings.removeOptOut(optOut.handle);
  await recordListingEvent(tx, optOut, { type: 'listing_restored', ...restoration });
}

/** Lists a withdrawn listing again, as its record states it. */
export async function restoreListing(tx: Transaction, optOut: OptOut, restoration: Restoration) {
  if (optOut.listing) await tx.listings.putListings([optOut.listing]);
  await tx.listings.reindex(optOut.handle);
  await recordRestored(tx, optOut, restoration);
}

/** Whether one check is enough: the listing is, or was, claimed in this same repository. */
const isOwners = (claim: Claim | undefined, { place, isContinuous }: Proof) =>
  claim?.place_key === place.key && isContinuous;

async function seeLine(tx: Transaction, proof: Proof, known: OptOut | undefined): Promise<OptOut> {
  const { listing, place, now } = proof;
  const { handle } = listing;
  const at = now.toISOString();
  const seen: OptOut = known
    ? { ...known, checked_at: at }
    : {
        handle,
        state: 'seen',
        repository: place.shown,
        repository_key: place.key,
        seen_at: at,
        checked_at: at,
        listing: undefined,
      };
  const isSecond = now.getTime() - Date.parse(seen.seen_at) >= secondCheck_ms;
  const ends = seen.state === 'seen' && (isSecond || isOwners(await tx.claims.claim(handle), proof));
  const after = ends ? await withdraw(tx, seen) : seen;
  await tx.listings.putOptOut(after);
  return after;
}

/**
 * Applies the line `optout <handle>` or its absence; both count only in a file of the recorded repository, read at HEAD's
 * commit. Returns the line that is in force after this check, if any.
 */
export async function applyOptOut(
  tx: Transaction,
  proof: Proof,
  file: ClaimFile | string,
): Promise<OptOut | undefined> {
  if (proof.place.kind !== 'repository') return undefined;
  const { handle } = proof.listing;
  const stored = await tx.listings.optOut(handle);
  const known = stored?.repository_key === proof.place.key ? stored : undefined;
  const isConclusive = proof.read.pinned && (typeof file !== 'string' || file === 'file_absent');
  if (!isConclusive) return known;
  if (typeof file !== 'string' && file.optouts.includes(handle)) return seeLine(tx, proof, known);
  if (stored?.state === 'withdrawn')
    await restoreListing(tx, stored, { at: proof.now.toISOString(), reason: 'optout_removed' });
  else if (stored) await tx.listings.removeOptOut(handle);
  return undefined;
}
