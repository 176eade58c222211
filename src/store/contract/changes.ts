import type { Change, NewChange } from '../../evidence/change.ts';

/** Which changes to read. */
export interface ChangeFilter {
  /** Of one listing. */
  readonly handle?: string | undefined;
  /** Of all listings of a namespace. */
  readonly namespace?: string | undefined;
}

export interface ChangeReads {
  /** Changes after a position, oldest first. */
  after(seq: number, limit: number, filter?: ChangeFilter): Promise<Change[]>;
  /** The change at a position. */
  at(seq: number): Promise<Change | undefined>;
  /** The newest changes, newest first. */
  newest(limit: number, filter?: ChangeFilter): Promise<Change[]>;
}

/** Writes of changes inside a transaction. */
export interface ChangeWrites extends ChangeReads {
  /** Adds changes in this order, while the write lock is held, so that no reader sees a later position first. */
  add(changes: readonly NewChange[]): Promise<void>;
}
