import { day_ms, dayText } from '../core/text.ts';
import { isGone, type Listing } from '../listings/listing.ts';
import type { Capability, Claim, Missing, ProofPlace } from './claim.ts';

/** Between two readings that together end or move a claim. */
export const secondReading_ms = day_ms;

/** After that, the location may have a different holder. */
const restore_ms = 30 * day_ms;

/** Now if there was none, or its time is in the future. */
export const firstReading = (known: string | undefined, now: Date): string => {
  const at = now.toISOString();
  return known === undefined || known > at ? at : known;
};

export const isSecondReading = (first_at: string | undefined, now: Date): boolean =>
  first_at !== undefined && now.getTime() - Date.parse(first_at) >= secondReading_ms;

/** How many days a line stands in the file before it works, if it was asked for without a capability. */
const standing_days = 7;

/**
 * Days in the future are from a clock that was ahead. A failed reading adds no day, so the line grows no
 * older while its host fails.
 */
export function afterFound(row: Capability, now: Date): Capability {
  const today = dayText(now.toISOString());
  const days = (row.found_days ?? []).filter((day) => day <= today);
  const activated_at = firstReading(days.length === 0 ? undefined : row.activated_at, now);
  const found_days = [...new Set([...days, today])].slice(-standing_days);
  return { ...row, activated_at, found_days, missing_at: undefined };
}

const standing_ms = standing_days * day_ms;

export const isRipe = ({ found_days = [], activated_at }: Capability, now: Date): boolean =>
  found_days.length === standing_days && now.getTime() - Date.parse(activated_at) >= standing_ms;

export const waitingText = (row: Capability): string => {
  const from = new Date(Date.parse(row.activated_at) + standing_ms).toISOString();
  const read = `The line of capability_id ${row.id} was asked for without a key of the claim`;
  return row.found_days
    ? `${read}, and was first read on ${dayText(row.activated_at)}. It works from ${dayText(from)} on if no check until then misses it, or later, once checks on seven days have found it.`
    : `${read}, and the last check did not find it. It works after it has stood in the file for seven days.`;
};

export const waitingTexts = (capabilities: readonly Capability[]): string[] =>
  capabilities.filter(({ state }) => state === 'waiting').map(waitingText);

export const isAt = (claim: Claim | undefined, { kind, key }: ProofPlace): boolean =>
  claim?.kind === kind && claim.place_key === key;

/** `claim` is as it was before the reading. */
export interface MissingProof {
  readonly claim: Claim;
  readonly result: string;
  readonly missing: Missing;
  readonly now: Date;
  readonly commit: string | undefined;
}

export const toNoted = (
  known: Claim['missing'],
  missing: Missing,
  now: Date,
): NonNullable<Claim['missing']> => ({
  line: firstReading(known?.line, now),
  ...(missing === 'place' && { place: firstReading(known?.place, now) }),
});

/**
 * The first reading that finds no line or no location is noted in `missing`. A second one, a day or more
 * later, sets `missed_at`. From then on, a new line continues the claim only beside an old one. If both
 * readings found no location, the second also sets `lost_at`, which ends the effect of the claim's old lines.
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

export const isEndedBy = (claim: Claim, missing: Missing, now: Date): boolean =>
  afterMissing(claim, missing, now).missed_at !== undefined;

/**
 * Tells whether two readings found no line of the claim or no location, or whether the claim was suspended
 * because its proof was missing. A new line continues such a claim only beside an old one.
 */
export const isBroken = ({ lost_at, missed_at, state, suspended_reason }: Claim): boolean =>
  lost_at !== undefined ||
  missed_at !== undefined ||
  (state === 'suspended' && suspended_reason === 'proof_missing');

export const whyGone = ({ lost_at }: Pick<Claim, 'lost_at'>): 'repository_changed' | 'proof_missing' =>
  lost_at === undefined ? 'proof_missing' : 'repository_changed';

export const isLiving = ({ state }: Capability): boolean => state === 'active' || state === 'suspended';

/** It continues no claim, and its line does not restore it. */
export const isLapsed = ({ state, ended_at }: Capability, now: Date): boolean =>
  state === 'suspended' && now.getTime() - Date.parse(ended_at ?? '') > restore_ms;

export type RecordedPlace = Pick<Listing, 'repository_key' | 'withdrawn'>;

/** A withdrawn listing records no repository, so it counts as unchanged. */
export const isElsewhere = ({ kind, place_key }: Claim, listing: RecordedPlace): boolean =>
  kind === 'repository' && !isGone(listing) && listing.repository_key !== place_key;

export const hasRestorable = (
  { handle }: Pick<Claim, 'handle'>,
  { capabilities, now }: { readonly capabilities: Iterable<Capability>; readonly now: Date },
): boolean => [...capabilities].some((row) => row.handle === handle && isLiving(row) && !isLapsed(row, now));

interface ClaimFacts {
  readonly capabilities: Iterable<Capability>;
  readonly listing: RecordedPlace;
  readonly now: Date;
}

/** Tells whether a reading of the claim's location can still suspend or restore the claim. */
export const isRereadable = (claim: Claim, facts: ClaimFacts): boolean =>
  claim.state === 'claimed' ||
  (claim.lost_at === undefined && !isElsewhere(claim, facts.listing) && hasRestorable(claim, facts));

/**
 * Tells whether a new line of somebody else has to wait because of the claim. It has to wait while the claim
 * is in force. It also has to wait if the claim is suspended as `withdrawn`, unless two readings found its
 * lines or its location gone, all its capabilities have lapsed, or the listing records another repository.
 */
export function isHeld(claim: Claim, facts: ClaimFacts): boolean {
  if (claim.state === 'claimed') return true;
  if (claim.suspended_reason !== 'withdrawn' || isBroken(claim)) return false;
  return !isElsewhere(claim, facts.listing) && hasRestorable(claim, facts);
}
