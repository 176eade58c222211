import type { CapabilityState, Claim } from '../claims/claim.ts';
import { namespaceIdentity, repositoryIdentity } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';

export interface RatingSide {
  readonly handle: string;
  readonly repository_key: string | undefined;
  readonly withdrawn: 'deleted' | 'optout' | 'operator' | undefined;
  readonly claim:
    | (Pick<Claim, 'place_key' | 'root' | 'root_generation' | 'first_proved_at'> & {
        readonly isInForce: boolean;
      })
    | undefined;
}

export interface RatingSides {
  readonly capability_state: CapabilityState;
  readonly source: RatingSide;
  readonly subject: RatingSide | undefined;
}

const ratingWindow_ms = 90 * day_ms;
/** Of a rater, ahead. */
const clockSkew_ms = 5 * 60_000;
/** After the control root of a source first proved a claim. */
export const newSource_ms = 7 * day_ms;

export const interestedRelationships: readonly string[] = ['paid_to_rate', 'partner', 'vendor'];

/** Of a claim in force, or else the recorded one if the namespace is of the same account. */
function provenRepository({ handle, repository_key, claim }: RatingSide): string | undefined {
  if (claim?.isInForce && !claim.place_key.startsWith('dns:')) return claim.place_key;
  const owner = repository_key === undefined ? undefined : repositoryIdentity(repository_key);
  return owner !== undefined && owner === namespaceIdentity(handle) ? repository_key : undefined;
}

export function isSelfRating(source: RatingSide, subject: RatingSide): boolean {
  const repository = provenRepository(source);
  return (
    source.handle === subject.handle || (repository !== undefined && repository === provenRepository(subject))
  );
}

/** (now - 90 days, now + 5 minutes] */
export const isInWindow = (at_ms: number, now_ms: number): boolean =>
  at_ms > now_ms - ratingWindow_ms && at_ms <= now_ms + clockSkew_ms;
