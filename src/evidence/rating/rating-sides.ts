import type { CapabilityState } from '../claim/claim.ts';

/** What the rules about ratings need of a listing. */
export interface RatingSide {
  readonly handle: string;
  readonly repository_key: string | undefined;
  readonly endpoint: string | undefined;
  readonly withdrawn: 'deleted' | 'optout' | undefined;
}

/** What decides whether a capability's listing may rate another one, and how that rating counts. */
export interface RatingSides {
  readonly capability_state: CapabilityState;
  /** Undefined once the listing is no longer claimed. */
  readonly claimed_at: string | undefined;
  readonly source: RatingSide;
  /** Undefined where no listing has the handle. */
  readonly subject: RatingSide | undefined;
  /** Whether the subject has a current rating of the source, created since the requested time. */
  readonly reciprocal: boolean;
}
