import { repositoryRoot } from '../core/handle.ts';
import { isGone, toWithdrawn } from '../listings/listing.ts';
import {
  absences,
  type Claim,
  type ClaimFile,
  isInRepository,
  type OptOut,
  parseClaimFile,
} from './claim.ts';
import type { LocationReading } from './locations.ts';
import type { ClaimTransaction } from './schema.ts';
import { firstReading, isHeld, isSecondReading } from './standing.ts';
import { recordClaimEvent, suspendClaim } from './suspend.ts';

type OptOutPlace = Pick<OptOut, 'kind' | 'place' | 'place_key'>;

const optOutRoot = ({ kind, place_key }: OptOutPlace): string =>
  isInRepository(kind) ? repositoryRoot(place_key) : place_key;

/**
 * Covered by an authoritative reading. `isText`: a file was read or, in DNS, at least one record that is
 * meant for this service.
 */
interface OptOutSighting extends OptOutPlace {
  readonly isThere: boolean;
  readonly isText: boolean;
}

function sightingsOf(
  { place, read, listing: { handle } }: LocationReading,
  file: ClaimFile | string,
): OptOutSighting[] {
  const isConclusive = read.pinned && (typeof file !== 'string' || absences.includes(file));
  if (!isConclusive || place.kind === 'registry_key') return [];
  const names = (one: ClaimFile | string) => typeof one !== 'string' && one.optouts.includes(handle);
  const { kind, shown, key } = place;
  if (!read.domains)
    return [{ kind, place: shown, place_key: key, isThere: names(file), isText: typeof file !== 'string' }];
  return read.domains.map(({ domain, text, isText }) => ({
    kind,
    place: domain,
    place_key: `dns:${domain}`,
    isThere: names(parseClaimFile(text)),
    isText,
  }));
}

interface OptOutFacts {
  readonly handle: string;
  readonly held: Claim | undefined;
  readonly isHolder: boolean;
  readonly now: Date;
}

/** Undefined if the line no longer withdraws the listing. */
function afterWithdrawn(row: OptOut, { isThere, isText }: OptOutSighting, now: Date): OptOut | undefined {
  const at = now.toISOString();
  // What the registry has deleted meanwhile stays opted out until the registry lists it again.
  if (isThere || (row.listing && isGone(row.listing)))
    return { ...row, checked_at: at, missing_at: undefined };
  // Whoever wrote a text without the line removed it. Without any text, the host may have failed, so a second
  // reading is needed.
  if (isText || isSecondReading(row.missing_at, now)) return undefined;
  return { ...row, checked_at: at, missing_at: firstReading(row.missing_at, now) };
}

function afterSighting(
  sighting: OptOutSighting,
  row: OptOut | undefined,
  others: readonly OptOut[],
  { handle, held, isHolder, now }: OptOutFacts,
): OptOut | undefined {
  const at = now.toISOString();
  const { isThere, isText: _, ...place } = sighting;
  const known = row?.state === 'withdrawn' ? afterWithdrawn(row, sighting, now) : undefined;
  if (known) return known;
  if (!isThere) return undefined;
  if (row?.state === 'overruled') return { ...row, checked_at: at };
  const isHeard = held === undefined || held.root === optOutRoot(place);
  const state = isHeard ? 'seen' : 'contested';
  const seen_at = row?.state === state ? firstReading(row.seen_at, now) : at;
  const isDecided = isHeard && (isHolder || isSecondReading(seen_at, now));
  const isFirst = others.every((other) => other.state !== 'withdrawn');
  return {
    handle,
    ...place,
    seen_at,
    checked_at: at,
    missing_at: undefined,
    listing: undefined,
    state: isDecided && isFirst ? 'withdrawn' : state,
  };
}

/**
 * `withdrawnBy` is a line that withdraws the listing from now on. `restoredFrom` is a line that withdrew it
 * until now.
 */
export interface OptOutDecision {
  readonly rows: readonly OptOut[];
  readonly removed: readonly OptOut[];
  readonly withdrawnBy: OptOut | undefined;
  readonly restoredFrom: OptOut | undefined;
}

const isSamePlace = (a: OptOutPlace, b: OptOutPlace) => a.kind === b.kind && a.place_key === b.place_key;

/**
 * The row has withdrawn nothing, and readings by its method no longer cover its location. It is forgotten, so
 * that a later first reading is not taken for a second one.
 */
const isPassed = (row: OptOut, sightings: readonly OptOutSighting[]): boolean =>
  (row.state === 'seen' || row.state === 'contested') &&
  sightings.some(({ kind }) => kind === row.kind) &&
  !sightings.some((sighting) => isSamePlace(row, sighting));

/** At most one row for each method and location. */
export function decide(
  rows: readonly OptOut[],
  sightings: readonly OptOutSighting[],
  facts: OptOutFacts,
): OptOutDecision {
  let after = rows.filter((row) => !isPassed(row, sightings));
  // Locations without the line first: if one of them withdrew the listing, a line elsewhere can do so in the
  // same reading.
  for (const sighting of sightings.toSorted((a, b) => Number(a.isThere) - Number(b.isThere))) {
    const row = after.find((one) => isSamePlace(one, sighting));
    const others = after.filter((one) => one !== row);
    const next = afterSighting(sighting, row, others, facts);
    after = next ? [...others, next] : others;
  }
  const withdrawing = (all: readonly OptOut[]) => all.find(({ state }) => state === 'withdrawn');
  const was = withdrawing(rows);
  const is = withdrawing(after);
  return {
    rows: after.filter((row) => !rows.includes(row)),
    removed: rows.filter((row) => !after.some((one) => isSamePlace(one, row))),
    withdrawnBy: is && !(was && isSamePlace(was, is)) ? is : undefined,
    restoredFrom: was && !(is && isSamePlace(was, is)) ? was : undefined,
  };
}

type Withdrawal = readonly [claim: Claim | undefined, optOut: OptOut];

async function recordListingEvent(
  tx: ClaimTransaction,
  [claim, optOut]: Withdrawal,
  event: Parameters<typeof recordClaimEvent>[2],
): Promise<void> {
  const { handle, kind, place } = optOut;
  const subject = claim && claim.root === optOutRoot(optOut) ? claim : { handle };
  await recordClaimEvent(tx, { ...subject, kind, place }, event);
  await tx.listings.relistVersions(handle, event.at);
}

/** The row keeps the record of the listing, because the listing itself loses its texts. */
async function withdraw(tx: ClaimTransaction, [claim, optOut]: Withdrawal): Promise<Claim | undefined> {
  const { handle, checked_at: at } = optOut;
  const listing = await tx.listings.byHandle(handle);
  if (!listing) return claim;
  const suspended = await suspendClaim(tx, claim, { reason: 'withdrawn', at });
  await tx.listings.putListings([toWithdrawn(listing, 'optout')]);
  await recordListingEvent(tx, [suspended, optOut], { type: 'listing_withdrawn', at, reason: 'optout' });
  await tx.optOuts.put({ ...optOut, listing });
  return suspended;
}

/** `optout_removed`, `repository_changed`, or `operator: ` and the operator's words. */
export async function recordRestored(
  tx: ClaimTransaction,
  [claim, optOut]: Withdrawal,
  restoration: { readonly at: string; readonly reason: string },
) {
  await tx.optOuts.remove(optOut);
  await recordListingEvent(tx, [claim, optOut], { type: 'listing_restored', ...restoration });
}

export async function restoreListing(
  tx: ClaimTransaction,
  [claim, optOut]: Withdrawal,
  restoration: Parameters<typeof recordRestored>[2],
) {
  if (optOut.listing) await tx.listings.putListings([optOut.listing]);
  await tx.listings.reindex(optOut.handle);
  await recordRestored(tx, [claim, optOut], restoration);
}

/** `waiting`: it was read and does not withdraw the listing now. */
export async function applyOptOuts(
  tx: ClaimTransaction,
  reading: LocationReading,
  claim: Claim | undefined,
  file: ClaimFile | string,
): Promise<{ readonly claim: Claim | undefined; readonly waiting: OptOut | undefined }> {
  const { listing, now, isHolder = false } = reading;
  const sightings = sightingsOf(reading, file);
  if (sightings.length === 0) return { claim, waiting: undefined };
  const capabilities = await tx.claims.capabilities(listing.handle);
  const held = claim && isHeld(claim, { capabilities, listing, now }) ? claim : undefined;
  const facts: OptOutFacts = { handle: listing.handle, held, isHolder, now };
  const decided = decide(await tx.optOuts.of(listing.handle), sightings, facts);
  const { rows, removed, withdrawnBy, restoredFrom } = decided;
  for (const row of removed) await tx.optOuts.remove(row);
  for (const row of rows) await tx.optOuts.put(row);
  if (restoredFrom)
    await restoreListing(tx, [claim, restoredFrom], { at: now.toISOString(), reason: 'optout_removed' });
  const after = withdrawnBy ? await withdraw(tx, [claim, withdrawnBy]) : claim;
  return { claim: after, waiting: rows.find(({ state }) => state !== 'withdrawn') };
}
