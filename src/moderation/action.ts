import type { ModerationTarget, ModerationTargetKind } from '../evidence/moderation/moderation.ts';
import type { ModerationReason } from '../evidence/moderation/reasons.ts';
import type { Transaction } from '../store/store.ts';

/** Why nothing was done, as a sentence for the operator. */
export class NotModerated extends Error {}

/** What an action is about, as it is stored. */
export interface FoundTarget extends ModerationTarget {
  /** The listing that shows it; undefined for namespaces, accounts and networks. */
  readonly handle?: string | undefined;
  /** Listings whose changes tell it: the one that shows it first, then that of the author. */
  readonly told: readonly string[];
  /** Entries of the log whose records name the rating, its own first, or that are the response. */
  readonly record_indexes: readonly number[];
  /** Of a rating: older versions of it that are not erased. */
  readonly older?: readonly { readonly id: string; readonly record_indexes: readonly number[] }[];
}

/** An action about to have its effect: RFC 3339 time, and the closed reason. */
export interface Application {
  readonly at: string;
  readonly reason: ModerationReason;
}

/**
 * One thing that the operator can do. Its row and its entry of the log are written for every action alike
 * (apply-action.ts); `apply` and `undo` write what else changes, after the row.
 */
export interface Action {
  /** The command, and what is published. */
  readonly name: string;
  /** What it does, for the help. */
  readonly summary: string;
  readonly targets: readonly ModerationTargetKind[];
  readonly reasons: readonly ModerationReason[];
  /** Of a rating: only its own record, or older versions too; else its withdrawal and the response to it. */
  readonly reach?: 'own_record' | 'older_versions';
  /** A target as the operator writes it. */
  readonly example: string;
  /** What the operator did, continuing "The operator of this directory". */
  did(target: ModerationTarget): string;
  /** What that means for readers or writers, a sentence. */
  consequence(target: ModerationTarget): string;
  apply?(tx: Transaction, target: FoundTarget, application: Application): Promise<void>;
  /** Absent where the row alone decides; `isFinal` where nothing brings it back. */
  undo?(tx: Transaction, target: FoundTarget): Promise<void>;
  readonly isFinal?: true;
}
