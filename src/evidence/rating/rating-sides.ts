import type { CapabilityState } from '../claim/claim.ts';

/** The claim of a listing, as far as the rules about ratings need it. */
export interface SideClaim {
  readonly isInForce: boolean;
  /** `host/path` of a repository, or `dns:` and a domain. */
  readonly place_key: string;
  readonly root: string;
  readonly root_generation: number;
  readonly first_proved_at: string;
}

/** What the rules about ratings need of a listing. */
export interface RatingSide {
  readonly handle: string;
  readonly repository_key: string | undefined;
  readonly withdrawn: 'deleted' | 'optout' | 'operator' | undefined;
  readonly claim: SideClaim | undefined;
}

/** What decides whether a capability's listing may rate another one, and how that rating counts. */
export interface RatingSides {
  readonly capability_state: CapabilityState;
  readonly source: RatingSide;
  /** Undefined where no listing has the handle. */
  readonly subject: RatingSide | undefined;
}
