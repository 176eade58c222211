import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { Rating, RatingRecord, RatingResponse } from '../../evidence/rating/rating.ts';
import type { RatingSides } from '../../evidence/rating/rating-sides.ts';

/**
 * Which ratings of a subject to read: without `outcome` and `independent` all versions, otherwise only the current
 * ratings that match, which are those that the counts include.
 */
export interface RatingPage {
  /** Continue after this rating. */
  readonly after?: { readonly created_at: string; readonly id: string };
  readonly limit: number;
  readonly outcome?: RatingRecord['outcome'];
  readonly independent?: boolean;
}

/** How a rating stops counting. */
export type RatingEnd =
  | { readonly superseded_by: string }
  | { readonly withdrawn_at: string; readonly withdrawn_reason: string | undefined };

export interface RatingReads {
  /**
   * Both sides of a rating by the holder of a capability, given by its hash; undefined for an unknown capability.
   * Ratings by the subject since `since` (RFC 3339) count as reciprocal.
   */
  sides(capabilityHash: string, subject: string, since: string): Promise<RatingSides | undefined>;
  byId(id: string): Promise<Rating | undefined>;
  /** The current rating of one interaction. */
  current(source: string, subject: string, interactionId: string): Promise<Rating | undefined>;
  /** The current ratings by and about a listing. */
  currentWith(handle: string): Promise<Rating[]>;
  /** The rated listing's response to a rating. */
  response(ratingId: string): Promise<RatingResponse | undefined>;
  /** A page of a subject's public records, newest first. */
  list(subject: string, page: RatingPage): Promise<RatingRecord[]>;
  /** The current ratings of a subject since a time, at most the newest 5,000, counted by month; oldest month first. */
  months(subject: string, since: string): Promise<MonthCount[]>;
}

/** Writes of ratings inside a transaction. */
export interface RatingWrites extends RatingReads {
  /** Adds a rating. Throws if the same interaction already has a current one. */
  insert(rating: Rating): Promise<void>;
  /** Adds the only response to a rating. Throws if there already is one. */
  respond(rating: Pick<Rating, 'id' | 'subject_handle'>, response: RatingResponse): Promise<void>;
  /** Ends a current rating; withdrawing it also withdraws its older versions. False if it is not current. */
  end(id: string, how: RatingEnd): Promise<boolean>;
}
