import type { Claim, ClaimEvent } from '../claims/claim.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { Listing } from '../listings/listing.ts';
import type { CommittedRecord } from '../log/leaf.ts';
import type { NoteVerifier } from '../log/notes.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import type { Essence, Observation } from '../observations/observation.ts';
import type { RecordedChange } from '../observations/table.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import type { NativeSignals, RatingRecord } from '../ratings/rating.ts';

/** One log as its reader finds it. */
export interface AuditedLog {
  readonly id: number;
  /** log_index of its first entry. */
  readonly base: number;
  readonly size: number;
  /** Its newest published checkpoint, or its last one if it is closed; undefined if there is none to read. */
  readonly checkpoint?: string | undefined;
  /**
   * The checkpoint that a closed log states in `closed_with`: entries that it covers and the log lacks are
   * stated as lost.
   */
  readonly closedWith?: string | undefined;
  /** The key that the log says is its own. */
  readonly key?: NoteVerifier | undefined;
}

/**
 * A record with its salt. `withdrawn_by`: a service does not give it out because that entry withdrew its
 * rating, or its listing is withdrawn; `absent`: not stored; `refused`: the service does not give it out,
 * because it is damaged; `closed`: of a closed log.
 */
export type ReadRecord =
  | CommittedRecord
  | { readonly withdrawn_by: number | undefined }
  | 'absent'
  | 'refused'
  | 'closed';

export const isWithheld = (
  record: ReadRecord | undefined,
): record is Extract<ReadRecord, { withdrawn_by: unknown }> =>
  typeof record === 'object' && 'withdrawn_by' in record;

/** The claim as a listing shows it; the control root only if a database is read. */
export interface ShownClaim
  extends Pick<
      NonNullable<ListingDocument['claim']>,
      'kind' | 'claimed_at' | 'repository' | 'domain' | 'commit' | 'suspended_reason' | 'receipt_keys'
    >,
    Partial<Pick<Claim, 'root' | 'root_generation' | 'first_proved_at'>> {
  readonly state: string;
  /** Whether it shows no keys for receipts because the operator has hidden its texts. */
  readonly hasHiddenKeys?: boolean | undefined;
}

/** What a listing shows of the log: every version of its ratings, its claim history, its counts. */
export interface ShownListing {
  readonly handle: string;
  /** The day of the reading, by the clock of the service: what ends by time is judged by it. */
  readonly read_on: string;
  readonly ratings: readonly RatingRecord[];
  /** By rating_id, the columns that no reader is shown; only if a database is read. */
  readonly derived?: ReadonlyMap<string, DerivedRow>;
  readonly claim?: ShownClaim | undefined;
  /** At most the newest 100, and 20 changes of keys, oldest first. */
  readonly events: readonly ClaimEvent[];
  /** The observations of the listing as the service shows them: its current facts, and every change. */
  readonly observations: {
    readonly current: readonly (Pick<Observation, 'kind' | 'subject'> & Essence)[];
    readonly changes: readonly RecordedChange[];
  };
  /** Why a database has it as withdrawn; a service does not show one that is. */
  readonly withdrawn?: Listing['withdrawn'];
  /** Whether a database has its texts as hidden. */
  readonly isHidden?: boolean;
  /** What the operator did that the listing itself shows. */
  readonly moderation?: readonly ModerationNotice[] | undefined;
  /** The counts and newest ratings of the listing document; undefined if no document is shown. */
  readonly native?: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'> | undefined;
}

/** Where an audit reads: a database (stored.ts), or a service over HTTP (served.ts). */
export interface EvidenceReader {
  /** All logs, oldest first. */
  logs(): Promise<AuditedLog[]>;
  /** Leaf texts of one log from a position on. */
  leaves(log: AuditedLog, from: number, limit: number): Promise<string[]>;
  /** Which levels of tree nodes can be read: every one, or every eighth as in tiles. */
  readonly levelStep: 1 | 8;
  /** Tree nodes of one level from a position on. */
  nodes(log: AuditedLog, level: number, range: { from: number; limit: number }): Promise<Buffer[]>;
  /** What entries commit to, by log_index. */
  records(indexes: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>>;
  /** Handles of all listings that show ratings, claim events or observations, or that the log names. */
  handles(): AsyncIterable<string>;
  /**
   * Reads what a listing shows, and calls `rest` before each page; undefined if it is withdrawn and shows
   * nothing.
   */
  listing(handle: string, rest?: () => Promise<void>): Promise<ShownListing | undefined>;
}
