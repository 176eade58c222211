import type { Capability, Claim, ProofPlace } from '../claim.ts';
import { hasRestorable, isAt, isBroken, isHeld, type RecordedPlace } from '../standing.ts';

/** `capabilities` have not ended. */
export interface StandingClaim {
  readonly handle: string;
  readonly listing: RecordedPlace;
  readonly claim: Claim | undefined;
  readonly capabilities: readonly Capability[];
  readonly cosigners: readonly Capability[];
  readonly now: Date;
}

/** `isCosigned`: the challenge was asked for with a capability that continues the claim. */
interface NewLine {
  readonly place: ProofPlace;
  readonly isCosigned: boolean;
}

export const newClaimCost =
  'ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends';

export const howToReplaceCapability =
  'Call claim_agent with rotate: true and the old capability in the Authorization header, publish the new line beside the old one, and call again without rotate. POST /api/capability/revoke with the old capability then ends it at once, and the claim goes on.';

export const lineRules: readonly [lines: string, waiting: string, elsewhere: string] = [
  'A line in the file is a key of the listing. The first works at once. A further one works at once if it was asked for with a key that works, and otherwise after it has stood in the file for seven days, which the page, the history and the feed show from the first reading. A line that two readings a day apart do not find is gone. If none of the earlier lines is left, it is a new claim.',
  'A line has stood for seven days when checks on seven days found it, the first at least seven days ago, and no check that could read the file missed it. Until then, taking it out of the file ends it, and so does anybody with a key that works, by POST /api/capability/revoke with the query id=<capability_id>. At most five lines wait at a time.',
  'The file is at the location of the claim. At another location of the same account or domain, a line that was asked for with a key moves the claim as soon as a check reads it. Any other line at another location begins a new claim when none of the lines of the claim is left.',
];

export type LineFate = 'works' | 'moves' | 'waits' | 'begins' | 'begins later';

/** Undefined if the listing was never claimed. */
export function fateOf(standing: StandingClaim, { place, isCosigned }: NewLine): LineFate | undefined {
  const { claim, cosigners } = standing;
  if (!claim) return undefined;
  const isHere = isAt(claim, place);
  const continues = isCosigned && cosigners.length > 0 && claim.root === place.root;
  if (continues && !isBroken(claim)) return isHere ? 'works' : 'moves';
  if (!isHeld(claim, standing)) return 'begins';
  return isHere ? 'waits' : 'begins later';
}

const cost = `That has a cost: ${newClaimCost}.`;

export const fateTexts: Readonly<Record<LineFate, string>> = {
  works: 'The new line works as soon as a check reads it. Keep the other lines.',
  moves:
    'The new line moves the claim as soon as a check reads it. Ratings stay as they are. A key whose line two checks a day apart do not find at the new location stops working.',
  waits:
    'Keep the other lines. The new line works after it has stood beside them for seven days, which the page, the history and the feed show from the first reading. It then continues the claim, and ratings stay as they are. It works at once if it is asked for with a key of the claim (in the Authorization header), or is signed with the same key as another line of the claim.',
  begins: `The new line begins a new claim as soon as a check reads it, unless a line that can still restore the claim stands beside it. ${cost}`,
  'begins later': `The new line begins a new claim when two checks a day or more apart have found no line of the claim at its location. ${cost}`,
};

export const foretell = (standing: StandingClaim, line: NewLine): string | undefined => {
  const fate = fateOf(standing, line);
  return fate && fateTexts[fate];
};

/** If the registry records a new address; undefined if no claim is in force by that repository. */
export const foretellMoved = ({ claim }: StandingClaim): string | undefined =>
  claim?.state === 'claimed' && claim.kind === 'repository'
    ? `That suspends the claim. A line for the new address continues it if the account is the same and the line was asked for within 30 days with a capability of the claim. Any other line begins a new claim. ${cost}`
    : undefined;

/** By lines that were taken away, once they are back. */
export const isRestorable = (standing: StandingClaim, place: ProofPlace): boolean =>
  standing.claim?.lost_at === undefined && isAt(standing.claim, place) && hasRestorable(standing, standing);
