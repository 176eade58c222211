import type {
  Moderation,
  ModerationCount,
  ModerationEnd,
  ModerationTarget,
} from '../../evidence/moderation/moderation.ts';

/** Whose writing may be blocked. */
export interface Writer {
  readonly namespace: string;
  /** Control roots besides that of the claim. */
  readonly roots: readonly string[];
  readonly handle: string;
  readonly capability_id?: string | undefined;
}

export interface ModerationReads {
  /** What stands against a target, oldest first. */
  standing(target: ModerationTarget): Promise<Moderation[]>;
  /**
   * What may keep a writer from writing, oldest first: blocks, revocations and withdrawals that stand, and every block of a
   * network. Without a writer only the networks.
   */
  against(writer: Writer | undefined): Promise<Moderation[]>;
  /** The action that hides one of the records of a rating or of the response to it, if one stands. */
  hiding(ratingId: string, recordIndex: number): Promise<Moderation | undefined>;
  /** The newest actions that stand, newest first. */
  list(limit: number): Promise<Moderation[]>;
  /** All actions counted, newest month first. */
  counts(): Promise<ModerationCount[]>;
}

/** Writes of actions inside a transaction; their effect on ratings and listings is written apart. */
export interface ModerationWrites extends ModerationReads {
  add(moderation: Moderation): Promise<void>;
  end(moderation: Moderation, end: ModerationEnd): Promise<void>;
}
