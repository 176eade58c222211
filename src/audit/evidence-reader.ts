import type { Claim, ClaimEvent } from '../claims/claim.ts';
import type { ListingDocument } from '../document/listing-document.ts';
import type { Listing } from '../listings/listing.ts';
import type { CommittedRecord } from '../log/leaf.ts';
import type { NoteVerifier } from '../log/notes.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import type { Observation } from '../observations/known/observation.ts';
import type { RecordedChange } from '../observations/known/table.ts';
import type { Essence, Timeline } from '../observations/known/timeline/timeline.ts';
import type { DerivedRow } from '../ratings/queries.ts';
import type { NativeSignals, RatingRecord } from '../ratings/rating.ts';

export interface AuditedLog {
  readonly id: number;
  readonly base: number;
  readonly size: number;
  /** The newest published; undefined for a closed log, and if none can be read. */
  readonly checkpoint?: string | undefined;
  /** If it covers entries that the log lacks, the service states their loss. */
  readonly closedWith?: string | undefined;
  readonly key?: NoteVerifier | undefined;
}

/**
 * The record with its salt, or why it is unread. `absent`: not stored, or hidden by the operator.
 * `withdrawn_by`: the entry that withdrew the rating; undefined if the listing is withdrawn or hidden.
 * `refused`: it disagrees with the log. `closed`: its log is closed.
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

/** The control root is set only if a database is read. */
export interface AuditedClaim
  extends Pick<
      NonNullable<ListingDocument['claim']>,
      'kind' | 'claimed_at' | 'repository' | 'domain' | 'commit' | 'suspended_reason' | 'receipt_keys'
    >,
    Partial<Pick<Claim, 'root' | 'root_generation' | 'first_proved_at'>> {
  readonly state: string;
  /** True if the operator has hidden the texts of the listing. */
  readonly hasHiddenKeys?: boolean | undefined;
}

/** Only the database shows this. */
export interface OwnRows extends Pick<Listing, 'withdrawn' | 'hidden'> {
  readonly derived: ReadonlyMap<string, DerivedRow>;
  readonly timelines: readonly Timeline[];
}

export interface ShownListing {
  readonly handle: string;
  /** By the clock of the service. */
  readonly read_on: string;
  readonly ratings: readonly RatingRecord[];
  readonly claim?: AuditedClaim | undefined;
  /** The newest 20 changes of keys and 100 other events at most, oldest first. */
  readonly events: readonly ClaimEvent[];
  readonly observations: {
    readonly current: readonly (Pick<Observation, 'kind' | 'subject'> & Essence)[];
    readonly changes: readonly RecordedChange[];
  };
  readonly moderation?: readonly ModerationNotice[] | undefined;
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'>;
  readonly own?: OwnRows;
}

/** Reads public answers (served.ts), with or without the rows of one's own database (own.ts). */
export interface EvidenceReader {
  /** Oldest first. */
  logs(): Promise<AuditedLog[]>;
  leaves(log: AuditedLog, from: number, limit: number): Promise<string[]>;
  /** 1 if every level of tree nodes can be read, 8 if only every eighth can, as in tiles. */
  readonly levelStep: 1 | 8;
  nodes(log: AuditedLog, level: number, range: { from: number; limit: number }): Promise<Buffer[]>;
  records(indexes: readonly number[]): Promise<ReadonlyMap<number, EntryRecord>>;
  /** Those that may show ratings, claim events or observations. */
  handles(): AsyncIterable<string>;
  /** Undefined if nothing of it can be read. */
  listing(handle: string): Promise<ShownListing | undefined>;
}
