import { day_ms } from '../core/text.ts';
import { isGone, type Listing } from '../listings/listing.ts';
import type { Capability, Claim, Missing } from './claim.ts';

/**
 * How long after a first authoritative reading a second one has to find the same, before it ends or moves
 * anybody's standing.
 */
export const secondReading_ms = day_ms;

/**
 * How long a line that was taken away restores its capability: afterwards the location may have another
 * holder.
 */
const restore_ms = 30 * day_ms;

/** When the first reading was: now, if there was none, or if a clock that was ahead dated it. */
export const firstReading = (known: string | undefined, now: Date): string => {
  const at = now.toISOString();
  return known === undefined || known > at ? at : known;
};

/**
 * Whether a reading is the second one that is needed: the first was a day or more before, and none between
 * them found otherwise.
 */
export const isSecondReading = (first_at: string | undefined, now: Date): boolean =>
  first_at !== undefined && now.getTime() - Date.parse(first_at) >= secondReading_ms;

/** An authoritative reading of the location of a claim that proves nothing, with the claim as it was. */
export interface MissingProof {
  readonly claim: Claim;
  /** The result of the check. */
  readonly result: string;
  readonly missing: Missing;
  readonly now: Date;
  readonly commit: string | undefined;
}

/**
 * The first readings of a row of those that find nothing, with one more; one that finds the location begins
 * that of the location anew.
 */
export const toNoted = (
  known: Claim['missing'],
  missing: Missing,
  now: Date,
): NonNullable<Claim['missing']> => ({
  line: firstReading(known?.line, now),
  ...(missing === 'place' && { place: firstReading(known?.place, now) }),
});

/**
 * A claim after an authoritative reading that proves nothing. The first such reading is noted in `missing`; a
 * second one ends what the claim proved (`missed_at`), and if both found no location, what its old lines can
 * do (`lost_at`).
 */
export function afterMissing(claim: Claim, missing: Missing, now: Date): Claim {
  const at = now.toISOString();
  const first = claim.missing;
  const isPlaceLost = missing === 'place' && isSecondReading(first?.place, now);
  const isEnded = isSecondReading(first?.line, now);
  return {
    ...claim,
    missed_at: claim.missed_at ?? (isEnded ? at : undefined),
    lost_at: claim.lost_at ?? (isPlaceLost ? at : undefined),
    missing: isEnded && (missing === 'line' || isPlaceLost) ? undefined : toNoted(first, missing, now),
  };
}

/** Whether one more reading without a line that counts ends the claim. */
export const isEndedBy = (claim: Claim, missing: Missing, now: Date): boolean =>
  afterMissing(claim, missing, now).missed_at !== undefined;

/**
 * Whether two readings found the location without any line of the claim, missing or moved: nothing new
 * continues it.
 */
export const isBroken = ({ lost_at, missed_at, state, suspended_reason }: Claim): boolean =>
  lost_at !== undefined ||
  missed_at !== undefined ||
  (state === 'suspended' && suspended_reason === 'proof_missing');

/** Why a claim ends whose lines do not count any more. */
export const whyGone = ({ lost_at }: Pick<Claim, 'lost_at'>): 'repository_changed' | 'proof_missing' =>
  lost_at === undefined ? 'proof_missing' : 'repository_changed';

/** Whether a capability works, or does again once its line is back. */
export const isLiving = ({ state }: Capability): boolean => state === 'active' || state === 'suspended';

/**
 * Whether a capability was suspended so long ago that its line does not restore it, and it continues no
 * claim.
 */
export const isLapsed = ({ state, ended_at }: Capability, now: Date): boolean =>
  state === 'suspended' && now.getTime() - Date.parse(ended_at ?? '') > restore_ms;

/** What a listing records as its repository. */
export type RecordedPlace = Pick<Listing, 'repository_key' | 'withdrawn'>;

/** Whether a listing that is shown records another repository than the one that proved the claim. */
export const isElsewhere = ({ kind, place_key }: Claim, listing: RecordedPlace): boolean =>
  kind === 'repository' && !isGone(listing) && listing.repository_key !== place_key;

/** Whether the listing has a capability that works, or that a line restores. */
const hasRestorable = (
  { handle }: Pick<Claim, 'handle'>,
  { capabilities, now }: { readonly capabilities: Iterable<Capability>; readonly now: Date },
): boolean => [...capabilities].some((row) => row.handle === handle && isLiving(row) && !isLapsed(row, now));

/** The facts besides a claim that decide what it does. */
interface ClaimFacts {
  readonly capabilities: Iterable<Capability>;
  readonly listing: RecordedPlace;
  readonly now: Date;
}

/**
 * Whether a reading of its location can suspend the claim or restore it; else there is no reason to read it
 * again.
 */
export const isRereadable = (claim: Claim, facts: ClaimFacts): boolean =>
  claim.state === 'claimed' ||
  (claim.lost_at === undefined && !isElsewhere(claim, facts.listing) && hasRestorable(claim, facts));

/**
 * Whether a claim keeps others from claiming the listing: while it is in force, and while only an opt-out, or
 * the registry, suspends it and its lines restore it: not if the listing records another repository since.
 */
export function isHeld(claim: Claim, facts: ClaimFacts): boolean {
  if (claim.state === 'claimed') return true;
  if (claim.suspended_reason !== 'withdrawn' || isBroken(claim)) return false;
  return !isElsewhere(claim, facts.listing) && hasRestorable(claim, facts);
}
