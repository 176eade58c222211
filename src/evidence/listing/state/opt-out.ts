import type { ClaimKind } from '../../claim/proof-place.ts';
import type { Listing } from '../listing.ts';

/** A line `optout <handle>` that a check read where the listing can be claimed. Times are RFC 3339 UTC. */
export interface OptOut {
  readonly handle: string;
  /**
   * `seen`: waits for a second check. `withdrawn`: the listing is. `overruled`: the operator restored the listing. `contested`:
   * it counts for nothing while the claim in force belongs to another account or domain; the operator sees it.
   */
  readonly state: 'seen' | 'withdrawn' | 'overruled' | 'contested';
  /** Where the line stands, as of a claim there. */
  readonly kind: ClaimKind;
  readonly place: string;
  readonly place_key: string;
  readonly seen_at: string;
  readonly checked_at: string;
  /** The withdrawn listing as its record states it, to restore it from. */
  readonly listing: Listing | undefined;
}

/** How long after the first check that read the line a listing is withdrawn that is not claimed there. */
export const secondCheck_ms = 86_400_000;

/** How a listing is opted out, for its maintainers: the texts before and after the line. */
export const howToOptOut = (claimFile: string): readonly [string, string] => [
  'To have a listing withdrawn, put the line ',
  ` into ${claimFile} at the root of the default branch of the recorded repository, or anywhere else where the listing can be claimed by a line; then check its claim there. A listing that is claimed there is withdrawn at once, any other when a check a day or more later reads the line again. Its page then answers 410 and it leaves the search. When the line is gone, or the listing records another repository than the one with the line, it is listed again. Both are entries of the log.`,
];

/** What a listing that is not claimed there waits for, after the first check that read the line. */
export const waitsForSecondCheck = ({ handle, seen_at }: OptOut): string =>
  `The line "optout ${handle}" was read on ${seen_at.slice(0, 10)}. The listing is not claimed there, so it is withdrawn when a check a day or more later reads the line again.`;
