import type { Claim, ClaimEvent } from '../claims/claim.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { Listing } from '../listings/listing.ts';
import type { CommittedRecord } from '../log/leaf.ts';
import type { NoteVerifier } from '../log/notes.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import type { Observation } from '../observations/observation.ts';
import type { RecordedChange } from '../observations/table.ts';
import type { Essence, Timeline } from '../observations/timeline/timeline.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import type { NativeSignals, RatingRecord } from '../ratings/rating.ts';

export interface AuditedLog {
  readonly id: number;
  readonly base: number;
  readonly size: number;
  /** The newest published checkpoint; undefined for a closed log, and if none can be read. */
  readonly checkpoint?: string | undefined;
  /**
   * The checkpoint that closed the log. If it covers entries that the log lacks, the service states their
   * loss.
   */
  readonly closedWith?: string | undefined;
  readonly key?: NoteVerifier | undefined;
}

/**
 * The record of an entry with its salt, or the reason why it is unread:
 * - `absent`: it is not stored, or the operator has hidden it
 * - withheld: a service does not give it out. `withdrawn_by` is the entry that withdrew the rating. It is
 *   undefined if the reason is that the listing is withdrawn or hidden.
 * - `refused`: a service does not give it out because it disagrees with the log
 * - `closed`: a service does not give it out because its log is closed
 */
export type EntryRecord =
  | CommittedRecord
  | { readonly withdrawn_by: number | undefined }
  | 'absent'
  | 'refused'
  | 'closed';

export const isWithheld = (
  record: EntryRecord | undefined,
): record is Extract<EntryRecord, { withdrawn_by: unknown }> =>
  typeof record === 'object' && 'withdrawn_by' in record;

/** The claim as a listing shows it. Its control root is set only if a database is read. */
export interface AuditedClaim
  extends Pick<
      NonNullable<ListingDocument['claim']>,
      'kind' | 'claimed_at' | 'repository' | 'domain' | 'commit' | 'suspended_reason' | 'receipt_keys'
    >,
    Partial<Pick<Claim, 'root' | 'root_generation' | 'first_proved_at'>> {
  readonly state: string;
  /** True if the listing shows no receipt keys because the operator has hidden its texts. */
  readonly hasHiddenKeys?: boolean | undefined;
}

/** What only the database shows of a listing. */
export interface OwnRows extends Pick<Listing, 'withdrawn' | 'hidden'> {
  readonly derived: ReadonlyMap<string, DerivedRow>;
  readonly timelines: readonly Timeline[];
}

export interface ShownListing {
  readonly handle: string;
  /** The day of the reading by the clock of the service. */
  readonly read_on: string;
  readonly ratings: readonly RatingRecord[];
  readonly claim?: AuditedClaim | undefined;
  /** At most the newest 20 changes of keys and the newest 100 other events, oldest first. */
  readonly events: readonly ClaimEvent[];
  readonly observations: {
    readonly current: readonly (Pick<Observation, 'kind' | 'subject'> & Essence)[];
    readonly changes: readonly RecordedChange[];
  };
  readonly moderation?: readonly ModerationNotice[] | undefined;
  /** The counts and newest ratings of the listing document. */
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'>;
  readonly own?: OwnRows;
}

/** Reads public answers (served.ts), with the rows of one's own database (own.ts) or without. */
export interface EvidenceReader {
  /** Returns the oldest log first. */
  logs(): Promise<AuditedLog[]>;
  leaves(log: AuditedLog, from: number, limit: number): Promise<string[]>;
  /** 1 if every level of tree nodes can be read, 8 if only every eighth can, as in tiles. */
  readonly levelStep: 1 | 8;
  nodes(log: AuditedLog, level: number, range: { from: number; limit: number }): Promise<Buffer[]>;
  records(indexes: readonly number[]): Promise<ReadonlyMap<number, EntryRecord>>;
  /** Handles of listings that may show ratings, claim events or observations. */
  handles(): AsyncIterable<string>;
  /** Returns undefined if nothing of the listing can be read. */
  listing(handle: string): Promise<ShownListing | undefined>;
}
