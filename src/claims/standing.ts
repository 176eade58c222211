import { ownMember } from '../core/json.ts';
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
  const read = `The line of capability_id ${row.id} was asked for without a capability of the claim`;
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

/** What was judged about a claim, its capability or an opt-out line. */
const eventReasons = {
  proof_missing: 'its proof is no longer there',
  repository_not_found: 'its repository was not found, or was not public',
  repository_moved: 'its repository redirects to another address',
  repository_empty: 'its repository has no commit',
  repository_not_recorded: 'the record no longer names its repository',
  /** Stored before each of the four had its own reason. */
  repository_changed: 'its repository was gone, moved or empty, or the record no longer named it',
  host_unreachable_30d: 'the location of its proof could not be read for 30 days',
  withdrawn: 'the listing or its last capability was withdrawn',
  line_removed: 'its line is gone before it worked',
  secret_published: 'its secret was published in the claim file',
  optout: 'an opt-out line was read',
  optout_removed: 'the opt-out line is gone',
};

/** An operator's reason is in their own words. */
export const reasonText = (reason: string): string => ownMember(eventReasons, reason) ?? reason;

/** A new line continues such a claim only beside an old one. */
export const isBroken = ({ suspended_reason: reason }: Claim): boolean =>
  reason === 'proof_missing' || reason === 'secret_published';

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
  claim.state === 'claimed' || (!isElsewhere(claim, facts.listing) && hasRestorable(claim, facts));

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
