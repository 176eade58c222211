import type { Claim } from '../claims/claim.ts';
import { Holder, namespaceIdentity, repositoryIdentity } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';
import { isPraise } from './groups.ts';

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
  readonly source: RatingSide;
  readonly subject: RatingSide | undefined;
}

const ratingWindow_ms = 90 * day_ms;
/** Of a rater, ahead. */
const clockSkew_ms = 5 * 60_000;
/** After the control root of a source first proved a claim. */
const newSource_ms = 7 * day_ms;

const interestedRelationships: readonly string[] = ['paid_to_rate', 'partner', 'vendor'];

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

const pair_ms = 90 * day_ms;

/** What all versions of a rating state together. */
export interface FoldedRating {
  readonly first_created_at: string;
  /** When a version first praised. */
  readonly praised_at: string | undefined;
  readonly declared_interest: boolean;
}

/** A stored version keeps what earlier, erased ones stated. */
interface RatingVersion extends Partial<Pick<FoldedRating, 'first_created_at' | 'declared_interest'>> {
  readonly created_at: string;
  readonly outcome: string;
  readonly score?: number | undefined;
  readonly relationship: string;
}

export const afterVersion = (before: FoldedRating | undefined, version: RatingVersion): FoldedRating => ({
  first_created_at: before?.first_created_at ?? version.first_created_at ?? version.created_at,
  praised_at: before?.praised_at ?? (isPraise(version) ? version.created_at : undefined),
  declared_interest:
    before?.declared_interest === true ||
    version.declared_interest === true ||
    interestedRelationships.includes(version.relationship),
});

/** In the order of the log. */
export const foldRating = (versions: readonly RatingVersion[]): FoldedRating | undefined =>
  versions.reduce<FoldedRating | undefined>(afterVersion, undefined);

/**
 * From the first version to 90 days after the first praise, or else after the first version, in ms since
 * 1970. Two ratings in opposite directions are a pair if their spans overlap.
 */
export function toSpan({
  first_created_at,
  praised_at,
}: Pick<FoldedRating, 'first_created_at'> & Partial<FoldedRating>) {
  return {
    from_ms: Date.parse(first_created_at),
    until_ms: Date.parse(praised_at ?? first_created_at) + pair_ms,
  };
}

/** RFC 3339. */
export const toPairUntil = (rating: Parameters<typeof toSpan>[0]): string =>
  new Date(toSpan(rating).until_ms).toISOString();

export const toNewUntil = (first_proved_at: string): string =>
  new Date(Date.parse(first_proved_at) + newSource_ms).toISOString();

export function toSource(source_root: string) {
  const { counted: source, id: source_identity } = new Holder(source_root);
  return { source, source_identity };
}
