import { day_ms } from '../core/text.ts';
import { isGone, toWithdrawn } from '../listings/listing.ts';
import { type LeafType, toLeaf } from '../log/leaf.ts';
import type { Transaction } from '../store/store.ts';
import {
  absences,
  type Capability,
  type Claim,
  type ClaimEvent,
  type ClaimFile,
  type OptOut,
  placeMember,
} from './claim.ts';
import type { Reading } from './locations.ts';
import type { LoggedKeys } from './receipt-keys.ts';
import { afterMissing, isSecondReading, type MissingProof, secondReading_ms, whyGone } from './standing.ts';

const leafTypes = {
  activated: 'claim.activated',
  rotated: 'claim.activated',
  restored: 'claim.activated',
  moved: 'claim.activated',
  suspended: 'claim.suspended',
  revoked: 'capability.revoked',
  listing_withdrawn: 'listing.withdrawn',
  listing_restored: 'listing.restored',
  keys_changed: 'claim.keys_changed',
} as const satisfies Record<ClaimEvent['type'], LeafType>;

/**
 * Adds an event to the history of a claim and a leaf that commits to it to the transparency log, in the caller's
 * transaction. The subject has no control root if the listing was never claimed there. Returns the log index.
 */
export async function recordClaimEvent(
  tx: Transaction,
  subject: Pick<Claim, 'handle' | 'kind' | 'place'> & Partial<Pick<Claim, 'root' | 'root_generation'>>,
  event: Pick<ClaimEvent, 'type' | 'at' | 'commit' | 'reason'> & {
    readonly capability_id?: string;
    readonly keys?: LoggedKeys;
  },
): Promise<number> {
  const { handle, kind, place, root, root_generation } = subject;
  const ofRoot = root === undefined ? {} : { root, root_generation };
  const record = { ...event, kind, ...placeMember(kind, place), ...ofRoot };
  const log_index = await tx.log.append(toLeaf(leafTypes[event.type], { handle, ...record }), {
    handle,
    at: event.at,
  });
  const keys = event.keys && { published: event.keys.published.length, ended: event.keys.ended.length };
  await tx.claims.addEvent(handle, { ...record, keys, log_index });
  return log_index;
}

/** So many changes of its keys a listing has in a day; then new keys wait for a check on the next day, and keys only end. */
const mostKeyChanges = 4;

/** Records which keys for receipts a check of a claim saw, and what that changes, in history and log. */
export async function recordReceiptKeys(
  tx: Transaction,
  claim: Claim,
  seen: Parameters<Transaction['ratings']['putReceiptKeys']>[1],
  commit?: string,
): Promise<void> {
  const since = new Date(Date.parse(seen.at) - day_ms).toISOString();
  const events = await tx.claims.history(claim.handle);
  const recent = events.filter(({ type, at }) => type === 'keys_changed' && at > since);
  const mayAdd = recent.length < mostKeyChanges;
  const keys = await tx.ratings.putReceiptKeys(claim.handle, seen, mayAdd);
  if (keys)
    await recordClaimEvent(tx, claim, { type: 'keys_changed', at: seen.at, ...(commit && { commit }), keys });
}

/** How long a claim survives while its location cannot be checked, and on how many days checks must have failed meanwhile. */
const unreachableLimit_ms = 30 * 86_400_000;
const unreachableDays = 10;

/** Why a claim is suspended (docs/claims.md). */
type SuspensionReason = 'proof_missing' | 'repository_changed' | 'host_unreachable_30d' | 'withdrawn';

/**
 * Suspends a claim and its active capabilities, writes history and log, and updates the search facets. `commit` is that whose
 * file has no usable line, if a file was read. Returns the claim
 * as it is then; one that is suspended already, or none, is left as it is.
 */
export async function suspendClaim<Known extends Claim | undefined>(
  tx: Transaction,
  claim: Known,
  { reason, at, commit }: { reason: SuspensionReason; at: string; commit?: string },
): Promise<Known | Claim> {
  if (claim?.state !== 'claimed') return claim;
  const { handle } = claim;
  for (const { hash, state } of await tx.claims.capabilities(handle)) {
    if (state === 'active') await tx.claims.setCapabilityState(hash, 'suspended', at);
  }
  const suspended: Claim = { ...claim, state: 'suspended', suspended_reason: reason };
  await tx.claims.putClaim(suspended);
  await recordClaimEvent(tx, claim, { type: 'suspended', at, reason, ...(commit && { commit }) });
  await tx.ratings.setSourceRoot(handle, { current: undefined, at });
  await recordReceiptKeys(tx, claim, { keys: [], at, isComplete: true }, commit);
  await tx.listings.reindex(handle);
  return suspended;
}

/**
 * Records that a check failed, and suspends the claim 30 days after the last one that read anything, if checks failed on ten days
 * since. A clock that jumps ahead makes the time pass at once, but not the days.
 */
export async function recordUnread(tx: Transaction, claim: Claim, now: Date): Promise<void> {
  const at = now.toISOString();
  const { checked_at, failed_days: known = [] } = claim;
  const failed_days = [...new Set([...known, at.slice(0, 10)])].slice(0, unreachableDays);
  const failed: Claim = { ...claim, failed_days, tried_at: at };
  await tx.claims.putClaim(failed);
  const isLong = now.getTime() - Date.parse(checked_at) > unreachableLimit_ms;
  if (isLong && failed_days.length === unreachableDays)
    await suspendClaim(tx, failed, { reason: 'host_unreachable_30d', at });
}

/** Records a reading that proves nothing: the first is noted, and a second one a day or more later suspends the claim. */
export async function recordMissing(
  tx: Transaction,
  { claim, missing, now, commit }: MissingProof,
): Promise<void> {
  const at = now.toISOString();
  const after = afterMissing(claim, missing, now);
  const isEnded = after.missed_at !== undefined;
  const tried_at = isEnded ? undefined : at;
  if (missing === 'line')
    await tx.claims.putClaim({ ...after, checked_at: at, failed_days: undefined, tried_at });
  else await recordUnread(tx, after, now);
  const noted = isEnded ? await tx.claims.claim(claim.handle) : undefined;
  await suspendClaim(tx, noted, { reason: whyGone(after), at, ...(commit && { commit }) });
}

const reasons: Record<'revoked' | 'leaked', { event?: string; suspension: SuspensionReason }> = {
  revoked: { suspension: 'withdrawn' },
  leaked: { event: 'secret_published', suspension: 'proof_missing' },
};

/**
 * Ends a capability of a claim for good, `revoked` by its holder or `leaked`: found in a claim file, with history and log.
 * Suspends the claim if no active capability is left. Returns the claim as it is then; undefined if the capability had
 * already ended.
 */
export async function endCapability(
  tx: Transaction,
  [claim, { hash, id, state }]: [Claim | undefined, Capability],
  { state: ended, at }: { readonly state: 'revoked' | 'leaked'; readonly at: string },
): Promise<Claim | undefined> {
  if (!claim || state === 'revoked' || state === 'leaked') return undefined;
  const { event: reason, suspension } = reasons[ended];
  await tx.claims.setCapabilityState(hash, ended, at);
  await recordClaimEvent(tx, claim, { type: 'revoked', at, ...(reason && { reason }), capability_id: id });
  return (await tx.claims.capabilities(claim.handle)).some((capability) => capability.state === 'active')
    ? claim
    : suspendClaim(tx, claim, { reason: suspension, at });
}

/** The claim of a listing, if it has one, and the opt-out line that withdraws or withdrew it. */
type Withdrawal = readonly [claim: Claim | undefined, optOut: OptOut];

/** Adds the withdrawal or restoration to the listing's history and the log, with the control root if it was claimed there. */
async function recordListingEvent(
  tx: Transaction,
  [claim, { handle, kind, place, place_key }]: Withdrawal,
  event: Parameters<typeof recordClaimEvent>[2],
): Promise<void> {
  const subject = claim?.place_key === place_key ? claim : { handle };
  await recordClaimEvent(tx, { ...subject, kind, place }, event);
  await tx.listings.relistVersions(handle, event.at);
}

/** Deletes the publisher's text from the listing; handle, versions and claim history stay. */
async function withdraw(tx: Transaction, [claim, optOut]: Withdrawal): Promise<Withdrawal> {
  const { handle, checked_at: at } = optOut;
  const listing = await tx.listings.byHandle(handle);
  if (!listing) return [claim, optOut];
  const suspended = await suspendClaim(tx, claim, { reason: 'withdrawn', at });
  await tx.listings.putListings([toWithdrawn(listing, 'optout')]);
  await recordListingEvent(tx, [suspended, optOut], { type: 'listing_withdrawn', at, reason: 'optout' });
  return [suspended, { ...optOut, state: 'withdrawn', listing }];
}

/**
 * Records that a withdrawn listing is listed again, because of `optout_removed`, `repository_changed`, or the operator's words; its
 * opt-out line is forgotten.
 */
export async function recordRestored(
  tx: Transaction,
  [claim, optOut]: Withdrawal,
  restoration: { readonly at: string; readonly reason: string },
) {
  await tx.optOuts.remove(optOut.handle);
  await recordListingEvent(tx, [claim, optOut], { type: 'listing_restored', ...restoration });
}

/** Lists a withdrawn listing again, as its record states it. */
export async function restoreListing(
  tx: Transaction,
  [claim, optOut]: Withdrawal,
  restoration: Parameters<typeof recordRestored>[2],
) {
  if (optOut.listing) await tx.listings.putListings([optOut.listing]);
  await tx.listings.reindex(optOut.handle);
  await recordRestored(tx, [claim, optOut], restoration);
}

/** Whether one check is enough: the claim in force stands in this same location. */
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
) {
  const { now } = reading;
  const checked_at = now.toISOString();
  const isKnown = known && known.state !== 'contested';
  const seen: OptOut = isKnown ? { ...known, checked_at } : toSeen(reading, 'seen');
  const isSecond = isSecondReading(seen.seen_at, now);
  const ends = seen.state === 'seen' && (isSecond || isOwners(claim, reading));
  const [after, optOut] = ends ? await withdraw(tx, [claim, seen]) : [claim, seen];
  await tx.optOuts.put(optOut);
  return { claim: after, optOut };
}

/** Keeps a line of somebody else for the operator to see, unless another line is stored. */
async function contest(
  tx: Transaction,
  reading: Reading,
  [stored, known]: [OptOut | undefined, OptOut | undefined],
): Promise<void> {
  const isKept = stored && stored.state !== 'contested' && (!known || stored.state === 'overruled');
  if (isKept) return;
  const checked_at = reading.now.toISOString();
  await tx.optOuts.put(
    known?.state === 'contested' ? { ...known, checked_at } : toSeen(reading, 'contested'),
  );
}

/** After this time without its second check, the location of a line could not be read, or is none any more. */
const unread_ms = 2 * secondReading_ms;

/** Whether the stored line of another location still keeps lines elsewhere from being stored. */
const isPending = ({ kind, state, seen_at }: OptOut, { place, now }: Reading) =>
  state === 'withdrawn' ||
  (state === 'seen' && kind !== place.kind && now.getTime() - Date.parse(seen_at) < unread_ms);

/**
 * Takes a line that is gone, or not heard, back: a listing is listed again only by the location that withdrew it. One that the registry
 * has deleted meanwhile stays opted out until the registry lists it again.
 */
async function takeBack(tx: Transaction, [claim, stored]: Withdrawal, { now }: Reading) {
  const checked_at = now.toISOString();
  if (stored.listing && isGone(stored.listing)) await tx.optOuts.put({ ...stored, checked_at });
  else if (stored.state === 'withdrawn')
    await restoreListing(tx, [claim, stored], { at: now.toISOString(), reason: 'optout_removed' });
  else await tx.optOuts.remove(stored.handle);
}

/**
 * Applies the line `optout <handle>` or its absence, as an authoritative reading of the location shows it. A signature is no text, so
 * that registry_key has no such line. Returns the claim as it is then, and the line that is in force there, if any.
 */
export async function applyOptOut(
  tx: Transaction,
  [reading, claim]: [Reading, Claim | undefined],
  file: ClaimFile | string,
): Promise<{ readonly claim: Claim | undefined; readonly optOut?: OptOut }> {
  const { place, read, listing } = reading;
  if (place.kind === 'registry_key') return { claim };
  const { handle } = listing;
  const stored = await tx.optOuts.of(handle);
  const isHere = stored?.kind === place.kind;
  const known = isHere && stored.place_key === place.key ? stored : undefined;
  const isConclusive = read.pinned && (typeof file !== 'string' || absences.includes(file));
  if (!isConclusive || (stored?.state === 'withdrawn' && !isHere)) return { claim, optOut: known };
  const isThere = typeof file !== 'string' && file.optouts.includes(handle);
  if (isThere && !isHeard(claim, reading)) {
    await contest(tx, reading, [stored, known]);
    return { claim };
  }
  if (isThere && (known || !stored || isOwners(claim, reading) || !isPending(stored, reading)))
    return seeLine(tx, reading, [known, claim]);
  if (!isThere && isHere) await takeBack(tx, [claim, stored], reading);
  return { claim };
}
