import type { Claim } from '../evidence/claim/claim.ts';
import type { ClaimFile } from '../evidence/claim/claim-file.ts';
import { type OptOut, secondCheck_ms } from '../evidence/listing/state/opt-out.ts';
import { toWithdrawn } from '../evidence/listing/state/withdrawn.ts';
import type { Transaction } from '../store/store.ts';
import type { Reading } from './locations.ts';
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

/** Whether one check is enough: the claim in force stands in this same place. */
const isOwners = (claim: Claim | undefined, { place }: Reading) =>
  claim?.state === 'claimed' && claim.place_key === place.key;

/** Whether a line counts here: while a claim is in force, only its account or domain can opt the listing out. */
const isHeard = (claim: Claim | undefined, { place, read }: Reading) =>
  claim?.state !== 'claimed' || claim.root === (read.seen ? `dns:${read.seen.domain}` : place.root);

/** A line as it was seen here first, in a state. */
const toSeen = ({ listing: { handle }, place, now }: Reading, state: OptOut['state']): OptOut => ({
  ...{ handle, state, kind: place.kind, place: place.shown, place_key: place.key },
  ...{ seen_at: now.toISOString(), checked_at: now.toISOString(), listing: undefined },
});

async function seeLine(
  tx: Transaction,
  reading: Reading,
  [known, claim]: [OptOut | undefined, Claim | undefined],
): Promise<OptOut> {
  const { now } = reading;
  const checked_at = now.toISOString();
  const isKnown = known && known.state !== 'contested';
  const seen: OptOut = isKnown ? { ...known, checked_at } : toSeen(reading, 'seen');
  const isSecond = now.getTime() - Date.parse(seen.seen_at) >= secondCheck_ms;
  const ends = seen.state === 'seen' && (isSecond || isOwners(claim, reading));
  const after = ends ? await withdraw(tx, seen) : seen;
  await tx.listings.putOptOut(after);
  return after;
}

/** Keeps a line of somebody else for the operator to see, unless another line is stored. */
async function contest(
  tx: Transaction,
  reading: Reading,
  [stored, known]: [OptOut | undefined, OptOut | undefined],
): Promise<undefined> {
  const isKept = stored && stored.state !== 'contested' && (!known || stored.state === 'overruled');
  if (isKept) return;
  const checked_at = reading.now.toISOString();
  await tx.listings.putOptOut(
    known?.state === 'contested' ? { ...known, checked_at } : toSeen(reading, 'contested'),
  );
}

/** After this time without its second check, the place of a line could not be read, or is none any more. */
const unread_ms = 2 * secondCheck_ms;

/** Whether the stored line of another place still keeps lines elsewhere from being stored. */
const isPending = ({ kind, state, seen_at }: OptOut, { place, now }: Reading) =>
  state === 'withdrawn' ||
  (state === 'seen' && kind !== place.kind && now.getTime() - Date.parse(seen_at) < unread_ms);

const absences: readonly string[] = ['file_absent', 'well_known_absent', 'dns_no_record'];

/** Takes a line that is gone, or not heard, back: a listing is listed again only by the place that withdrew it. */
async function takeBack(tx: Transaction, stored: OptOut, { now }: Reading): Promise<void> {
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
  reading: Reading,
  file: ClaimFile | string,
): Promise<OptOut | undefined> {
  const { place, read, listing } = reading;
  if (place.kind === 'registry_key') return undefined;
  const { handle } = listing;
  const stored = await tx.listings.optOut(handle);
  const isHere = stored?.kind === place.kind;
  const known = isHere && stored.place_key === place.key ? stored : undefined;
  const isConclusive = read.pinned && (typeof file !== 'string' || absences.includes(file));
  if (!isConclusive || (stored?.state === 'withdrawn' && !isHere)) return known;
  const claim = await tx.claims.claim(handle);
  const isThere = typeof file !== 'string' && file.optouts.includes(handle);
  if (isThere && !isHeard(claim, reading)) return contest(tx, reading, [stored, known]);
  if (isThere && (known || !stored || isOwners(claim, reading) || !isPending(stored, reading)))
    return seeLine(tx, reading, [known, claim]);
  if (!isThere && isHere) await takeBack(tx, stored, reading);
  return undefined;
}
