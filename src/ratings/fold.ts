import { Holder } from '../core/identity.ts';
import { day_ms } from '../core/text.ts';
import { isPraise } from './groups.ts';
import { interestedRelationships, newSource_ms } from './rules.ts';

/** How long a rating can make a pair after it praised (`toSpan`, docs/ratings.md). */
const pair_ms = 90 * day_ms;

/** The facts that the versions of one rating state together. */
export interface FoldedRating {
  /** When the first version was made. */
  readonly first_created_at: string;
  /** When the first version that praises was made, if one does. */
  readonly praised_at: string | undefined;
  readonly declared_interest: boolean;
}

/** A recorded version. A stored one also has the facts of earlier versions whose texts were erased since. */
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

/** The facts of a rating from its versions, in the order of the log; undefined if there is none. */
export const foldRating = (versions: readonly RatingVersion[]): FoldedRating | undefined =>
  versions.reduce<FoldedRating | undefined>(afterVersion, undefined);

/**
 * The span of a rating, in ms since 1970: from its first version to 90 days after its first praise, or after
 * its first version if it never praises. Two ratings in opposite directions are a pair if their spans meet.
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

/**
 * When the source of a rating stops being new, from the time at which its control root first proved a claim.
 */
export const toNewUntil = (first_proved_at: string): string =>
  new Date(Date.parse(first_proved_at) + newSource_ms).toISOString();

/**
 * The name under which a control root is counted, and the identity by which it is matched (core/identity.ts).
 */
export function toSource(source_root: string) {
  const { counted: source, id: source_identity } = new Holder(source_root);
  return { source, source_identity };
}
