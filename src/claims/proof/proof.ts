import type { Challenge, ChallengeBinding, ClaimKey } from '../../evidence/claim/challenge.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { Listing } from '../../evidence/listing/listing.ts';
import type { PlaceCheck } from '../places/place-check.ts';

/** A challenge that a request says is signed with a published key. */
export interface SignedChallenge extends Challenge {
  readonly text: string;
  readonly signature: string;
}

/** One check of a place of a listing, with everything needed to decide what it proves. */
export interface Proof {
  readonly listing: Listing;
  readonly place: ProofPlace;
  readonly read: PlaceCheck;
  /** False if the commit last proven can no longer be read (continuity.ts). */
  readonly isContinuous: boolean;
  /** Hashes of the challenges in the place of a claim in force, where that is another one. */
  readonly standing: ReadonlySet<string>;
  readonly signed?: SignedChallenge | undefined;
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now: Date;
}
