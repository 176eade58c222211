import type { Claim } from '../evidence/claim/claim.ts';
import type { ClaimFile } from '../evidence/claim/claim-file.ts';
import { isInRepository } from '../evidence/claim/proof-place.ts';
import { type OptOut, secondCheck_ms } from '../evidence/listing/state/opt-out.ts';
import { toWithdrawn } from '../evidence/listing/state/withdrawn.ts';
import type { Transaction } from '../store/store.ts';
import type { Proof } from './proof/proof.ts';
import { recordClaimEvent } from './record-event.ts';
import { suspendClaim } from './suspend.ts';

/** Adds the withdrawal or restoration to the listing's history and the log, with the control root if it was claimed there. */
async function recordListingEvent(
  tx: Transaction,
  { handle, kind, place, place_key }: OptOut,
  event: {
    readonly type: 'listing_withdrawn' | 'listing_restored';
    readonly at: string;
    readonly reason: string;
  },
): Promise<void> {
  const claim = await tx.claims.claim(handle);
  const subject = claim?.place_key === place_key ? claim : { handle };
  await recordClaimEvent(tx, { ...subject, kind, place }, event);
  await tx.listings.relistVersions(handle, event.at);
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

/**
 * Whether one check is enough: the listing is claimed in this same place, or was in this same repository. A domain has no
 * history that shows another owner.
 */
const isOwners = (claim: Claim | undefined, { place, isContinuous }: Proof) =>
  claim?.place_key === place.key && isContinuous && (isInRepository(place.kind) || claim.state === 'claimed');

/** Whether a line counts here: the namespace's places say nothing against whoever has claimed the listing elsewhere. */
const isHeard = (claim: Claim | undefined, { place, read }: Proof) =>
  place.kind === 'repository' ||
  claim?.state !== 'claimed' ||
  claim.root === (read.seen ? `dns:${read.seen.domain}` : place.root);

async function seeLine(tx: Transaction, proof: Proof, known: OptOut | undefined): Promise<OptOut> {
  const { listing, place, now } = proof;
  const { handle } = listing;
  const at = now.toISOString();
  const seen: OptOut = known
    ? { ...known, checked_at: at }
    : {
        handle,
        state: 'seen',
        ...{ kind: place.kind, place: place.shown, place_key: place.key },
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

/** After this time without its second check, the place of a line could not be read, or is none any more. */
const unread_ms = 2 * secondCheck_ms;

/** Whether the stored line of another place still keeps lines elsewhere from being stored. */
const isPending = ({ kind, state, seen_at }: OptOut, { place, now }: Proof) =>
  state === 'withdrawn' ||
  (state === 'seen' && kind !== place.kind && now.getTime() - Date.parse(seen_at) < unread_ms);

const absences: readonly string[] = ['file_absent', 'well_known_absent', 'dns_no_record'];

/** Takes a line that is gone, or not heard, back: a listing is listed again only by the place that withdrew it. */
async function takeBack(tx: Transaction, stored: OptOut, { now }: Proof): Promise<void> {
  if (stored.state === 'withdrawn')
    await restoreListing(tx, stored, { at: now.toISOString(), reason: 'optout_removed' });
  else await tx.listings.removeOptOut(stored.handle);
}

/**
 * Applies the line `optout <handle>` or its absence, as an authoritative reading of the place shows it. Returns the line that is
 * in force in that place after this check, if any. A signature is no text, so that registry_key has no such line.
 */
export async function applyOptOut(
  tx: Transaction,
  proof: Proof,
  file: ClaimFile | string,
): Promise<OptOut | undefined> {
  const { place, read, listing } = proof;
  if (place.kind === 'registry_key') return undefined;
  const { handle } = listing;
  const stored = await tx.listings.optOut(handle);
  const isHere = stored?.kind === place.kind;
  const known = isHere && stored.place_key === place.key ? stored : undefined;
  const isConclusive = read.pinned && (typeof file !== 'string' || absences.includes(file));
  if (!isConclusive || (stored?.state === 'withdrawn' && !isHere)) return known;
  const claim = await tx.claims.claim(handle);
  const isWanted = typeof file !== 'string' && file.optouts.includes(handle) && isHeard(claim, proof);
  if (isWanted && (known || !stored || isOwners(claim, proof) || !isPending(stored, proof)))
    return seeLine(tx, proof, known);
  if (!isWanted && isHere) await takeBack(tx, stored, proof);
  return undefined;
}
