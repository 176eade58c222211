import type { AuditReads, AuditWrites } from './contract/audits.ts';
import type { Dump, Load } from './contract/backup.ts';
import type { ChangeReads, ChangeWrites } from './contract/changes.ts';
import type { CheckReads, CheckWrites } from './contract/checks.ts';
import type { ClaimReads, ClaimWrites } from './contract/claims.ts';
import type { FeedbackReads, FeedbackWrites } from './contract/feedback.ts';
import type { FigureReads } from './contract/figures.ts';
import type { ImportReads, ImportWrites } from './contract/imports.ts';
import type { KeyReads, KeyWrites } from './contract/keys.ts';
import type { Leases, LeaseWrites } from './contract/leases.ts';
import type { LimitReads, LimitWrites } from './contract/limits.ts';
import type { ListingReads, ListingWrites } from './contract/listings.ts';
import type { ModerationReads, ModerationWrites } from './contract/moderation.ts';
import type { ObservationReads, ObservationWrites } from './contract/observations.ts';
import type { RatingReads, RatingWrites } from './contract/ratings.ts';
import type { LogReads, LogWrites } from './contract/transparency-log.ts';
import type { ViewReads, ViewWrites } from './contract/views.ts';
import type { WebhookReads, WebhookWrites } from './contract/webhooks.ts';

/** All reads, by noun (contract/). A read that finds nothing returns undefined or an empty list. */
export interface Reads {
  readonly listings: ListingReads;
  readonly ratings: RatingReads;
  readonly claims: ClaimReads;
  readonly checks: CheckReads;
  readonly audits: AuditReads;
  readonly log: LogReads;
  readonly imports: ImportReads;
  readonly feedback: FeedbackReads;
  readonly figures: FigureReads;
  readonly keys: KeyReads;
  readonly limits: LimitReads;
  readonly observations: ObservationReads;
  readonly changes: ChangeReads;
  readonly views: ViewReads;
  readonly webhooks: WebhookReads;
  readonly moderation: ModerationReads;
}

/** Reads and writes inside one transaction; reads see the transaction's own writes, under its lock. */
export interface Transaction extends Reads {
  readonly listings: ListingWrites;
  readonly ratings: RatingWrites;
  readonly claims: ClaimWrites;
  readonly checks: CheckWrites;
  readonly audits: AuditWrites;
  readonly log: LogWrites;
  readonly imports: ImportWrites;
  readonly feedback: FeedbackWrites;
  readonly keys: KeyWrites;
  readonly limits: LimitWrites;
  readonly leases: LeaseWrites;
  readonly observations: ObservationWrites;
  readonly changes: ChangeWrites;
  readonly views: ViewWrites;
  readonly webhooks: WebhookWrites;
  readonly moderation: ModerationWrites;
}

/** Handles of the listings that a committed transaction changed, and keys of views; 'all' if they are not known. */
export type ChangedHandles = readonly string[] | 'all';

/**
 * What an engine's error means to a caller: no disk space, the database cannot be reached for now, or its file is
 * damaged or gone, which an operator has to mend.
 */
export type Failure = 'storage_full' | 'unavailable' | 'damaged';

/** The database behind one contract, which one conformance suite tests for every engine. */
export interface Store extends Reads {
  /**
   * Runs `work` in one serializable transaction and returns its result once it is durable. If `work` throws, nothing
   * is written. After a conflict `work` runs again, so it must have no effects outside the transaction: `write` rejects
   * in `work`, and so does a request to a host.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** What an error of the engine means to a caller; undefined for an unexpected one. */
  failureOf(error: unknown): Failure | undefined;
  /** Whether the database is where it was, and this process hears what others write. */
  isWell(): Promise<boolean>;
  /** Reads that wait for no others, for the question whether this node is ready. */
  readonly health: Pick<Reads, 'listings' | 'audits'>;
  /** Work that this node alone does: an import, an audit, the messages to a webhook, requests to a host. */
  readonly leases: Leases;
  /** Whether the database is complete: false during a restore, and after one that was interrupted. */
  isComplete(): Promise<boolean>;
  /** What is wrong with the file of the database, in one line; undefined for none, and for engines that have no such check. */
  findDamage(): Promise<string | undefined>;
  /** Reads as of one moment, however long `work` takes; in memory nothing is written meanwhile. */
  snapshot<T>(work: (reads: Reads) => Promise<T>): Promise<T>;
  /** Passes all data, as of one moment, to `work`. */
  dump<T>(work: (dump: Dump) => Promise<T>): Promise<T>;
  /** Starts to fill a new or half-restored database from a backup; undefined if the database is in use. */
  load(): Promise<Load | undefined>;
  /**
   * Calls back after each commit, of this process or another, that changed listings. Returns a function that stops it.
   */
  onChange(listener: (changed: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
