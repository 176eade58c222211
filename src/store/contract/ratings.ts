import type { ReceiptKey, SeenReceiptKey } from '../../evidence/claim/receipt-keys.ts';
import type { RecordedIdentity } from '../../evidence/rating/identity.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { Rating, RatingRecord, RatingResponse } from '../../evidence/rating/rating.ts';
import type { RatingCell, RatingFilter } from '../../evidence/rating/rating-facets.ts';
import type { RatingSides } from '../../evidence/rating/rating-sides.ts';

/**
 * Which ratings of a subject to read: without a filter all versions, otherwise only the current ratings that match, which
 * are those that the counts include.
 */
export interface RatingPage extends RatingFilter {
  /** Continue after this rating. */
  readonly after?: { readonly created_at: string; readonly id: string } | undefined;
  readonly limit: number;
  /** The time at which groups are judged, RFC 3339. */
  readonly now: string;
}

/** A control root of a listing: an account, and which of its holders in turn. */
export interface SourceRoot {
  readonly root: string;
  readonly root_generation: number;
}

/** The keys for receipts that a check saw in a claim file, at a time (RFC 3339). */
export interface SeenKeys {
  readonly keys: readonly SeenReceiptKey[];
  readonly at: string;
  /** Whether keys that are not among them end. */
  readonly isComplete: boolean;
}

/** A proof by the SHA-256 of what identifies it (hex), the rating that uses it, and the ids of its earlier versions. */
export interface SpentProof {
  readonly digest: string;
  readonly rating_id: string;
  readonly versions: readonly string[];
}

/** How a rating stops counting. */
export type RatingEnd =
  | { readonly superseded_by: string }
  | { readonly withdrawn_at: string; readonly withdrawn_by: number };

export interface RatingReads {
  /** Both sides of a rating by the holder of a capability, given by its hash; undefined for an unknown capability. */
  sides(capabilityHash: string, subject: string): Promise<RatingSides | undefined>;
  byId(id: string): Promise<Rating | undefined>;
  /** The keys for receipts that a listing publishes, and published, oldest first. */
  receiptKeys(handle: string): Promise<ReceiptKey[]>;
  /** The current ratings by and about a listing. */
  currentWith(handle: string): Promise<Rating[]>;
  /** Every version of the ratings of one interaction but erased ones, withdrawn ones included, oldest first. */
  versions(source: string, subject: string, interactionId: string): Promise<Rating[]>;
  /** Every account and host that the records of two listings ever named, and what namespaces and claims proved. */
  identities(source: string, subject: string): Promise<RecordedIdentity[]>;
  /** The rated listing's response to a rating. */
  response(ratingId: string): Promise<RatingResponse | undefined>;
  /** A page of a subject's public records, newest first. */
  list(subject: string, page: RatingPage): Promise<RatingRecord[]>;
  /** A subject's counted ratings by outcome, group at a time (RFC 3339) and class of proof. */
  cells(subject: string, now: string): Promise<RatingCell[]>;
  /** The current ratings of a subject since a time, at most the newest 5,000, counted by month; oldest month first. */
  months(subject: string, period: { readonly since: string; readonly now: string }): Promise<MonthCount[]>;
}

/** Writes of ratings inside a transaction. */
export interface RatingWrites extends RatingReads {
  /** Adds a rating. Throws if the same interaction already has a current one. */
  insert(rating: Rating): Promise<void>;
  /** Marks a new rating and those in the other direction that are now reciprocal; whether this one is. */
  settlePairs(rating: Rating): Promise<boolean>;
  /** Records which keys for receipts a listing publishes: new ones begin, missing or changed ones end. */
  putReceiptKeys(handle: string, seen: SeenKeys): Promise<void>;
  /** Uses up a proof, in place of earlier versions of the rating; false if another rating used it. */
  spendProof(proof: SpentProof): Promise<boolean>;
  /** Adds identities of listings; those that are stored keep their first date. */
  putIdentities(identities: readonly RecordedIdentity[]): Promise<void>;
  /**
   * Records which control root a listing's claim in force belongs to, undefined if none is: ratings by another root of
   * the listing get the group source_ended, those by this root lose it.
   */
  setSourceRoot(
    handle: string,
    change: { readonly held: SourceRoot | undefined; readonly at: string },
  ): Promise<void>;
  /** Records a control root that a claim of a listing proved at a time: what is related or reciprocal by it is marked. */
  addHolder(handle: string, proved: { readonly root: string; readonly at: string }): Promise<void>;
  /** Adds the only response to a rating. Throws if there already is one. */
  respond(rating: Pick<Rating, 'id' | 'subject_handle'>, response: RatingResponse): Promise<void>;
  /** Erases what a rating said, for good: it is a tombstone then, and its older versions are withdrawn. Returns the rated handle. */
  erase(id: string, erasure: { readonly at: string; readonly by: number }): Promise<string | undefined>;
  /** Erases the text of the response to a rating. Returns the rated handle. */
  eraseResponse(ratingId: string, at: string): Promise<string | undefined>;
  /** Voids a rating as of a time, or lets it count again. Returns the rated handle. */
  setVoided(id: string, at: string | undefined): Promise<string | undefined>;
  /** Ends a rating, also a voided one; withdrawing it also withdraws its older versions. False if it has ended already. */
  end(id: string, how: RatingEnd): Promise<boolean>;
}
