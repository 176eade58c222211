import type { Context } from '../context.ts';
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
  const own = { kind, place: shown, place_key: key, isThere: names(file), isText: typeof file !== 'string' };
  const ofDomain = ({ domain, text, isText }: NonNullable<typeof read.domains>[number]) => {
    const isThere = names(parseClaimFile(text));
    return { kind, place: domain, place_key: `dns:${domain}`, isThere, isText };
  };
  return read.domains?.map(ofDomain) ?? [own];
}

export const readOptOuts = (handle: string, { store }: Context): Promise<OptOut[]> =>
  store.optOuts.of(handle);

export const readWithdrawing = (handle: string, { store }: Context): Promise<OptOut | undefined> =>
  store.optOuts.withdrawing(handle);

interface OptOutFacts {
  readonly handle: string;
  /** Of the claim that holds the listing (`isHeld`). */
  readonly heldBy: string | undefined;
  readonly isHolder: boolean;
  readonly isFirst: boolean;
  readonly now: Date;
}

/** Undefined if the line is gone, or no longer withdraws the listing. */
function afterSighting(
  { isThere, isText, ...place }: OptOutSighting,
  row: OptOut | undefined,
  { handle, heldBy, isHolder, isFirst, now }: OptOutFacts,
): OptOut | undefined {
  const at = now.toISOString();
  const isWithdrawn = row?.state === 'withdrawn';
  // What the registry has deleted meanwhile stays opted out until the registry lists it again.
  const stays = row?.listing !== undefined && isGone(row.listing);
  if (isWithdrawn && (isThere || stays)) return { ...row, checked_at: at, missing_at: undefined };
  // Whoever wrote a text without the line removed it. Without any text, the host may have failed, so a second
  // reading is needed.
  if (isWithdrawn && !isText && !isSecondReading(row.missing_at, now))
    return { ...row, checked_at: at, missing_at: firstReading(row.missing_at, now) };
  if (!isThere) return undefined;
  if (row?.state === 'overruled') return { ...row, checked_at: at };
  const isHeard = heldBy === undefined || heldBy === optOutRoot(place);
  const state = isHeard ? 'seen' : 'contested';
  const seen_at = row?.state === state ? firstReading(row.seen_at, now) : at;
  const isDecided = isHeard && isFirst && (isHolder || isSecondReading(seen_at, now));
  const read = { handle, ...place, seen_at, checked_at: at, missing_at: undefined, listing: undefined };
  return { ...read, state: isDecided ? 'withdrawn' : state };
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

/** `optout_removed`, `repository_not_recorded`, or `operator: ` and the operator's words. */
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
  known: Claim | undefined,
  file: ClaimFile | string,
): Promise<{ readonly claim: Claim | undefined; readonly waiting: OptOut | undefined }> {
  const { listing, now, isHolder = false } = reading;
  const { handle } = listing;
  const sightings = sightingsOf(reading, file);
  if (sightings.length === 0) return { claim: known, waiting: undefined };
  const capabilities = await tx.claims.capabilities(handle);
  const heldBy = known && isHeld(known, { capabilities, listing, now }) ? known.root : undefined;
  const rows = await tx.optOuts.of(handle);
  for (const row of rows) if (isPassed(row, sightings)) await tx.optOuts.remove(row);
  let claim = known;
  let waiting: OptOut | undefined;
  // Locations without the line first: if one of them withdrew the listing, a line elsewhere can do so in the
  // same reading.
  for (const sighting of sightings.toSorted((a, b) => Number(a.isThere) - Number(b.isThere))) {
    const row = rows.find((one) => isSamePlace(one, sighting));
    const isFirst = (await tx.optOuts.withdrawing(handle)) === undefined;
    const next = afterSighting(sighting, row, { handle, heldBy, isHolder, isFirst, now });
    if (next) await tx.optOuts.put(next);
    else if (row?.state === 'withdrawn')
      await restoreListing(tx, [claim, row], { at: now.toISOString(), reason: 'optout_removed' });
    else if (row) await tx.optOuts.remove(row);
    if (next?.state === 'withdrawn' && row?.state !== 'withdrawn') claim = await withdraw(tx, [claim, next]);
    if (next && next.state !== 'withdrawn') waiting = next;
  }
  return { claim, waiting };
}
