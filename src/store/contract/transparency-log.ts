import type { EntrySubject } from '../../evidence/change.ts';
import type { Leaf } from '../../evidence/log/leaf.ts';
import type { ReadNode } from '../../evidence/log/merkle.ts';

/**
 * One log. A new one is opened only if the database turns out to be older than a published checkpoint; entries are
 * appended to the last one.
 */
export interface LogHead {
  readonly id: number;
  /** log_index of its first entry. */
  readonly base: number;
  /** How many entries it has. */
  readonly size: number;
  readonly opened_at: string;
  /** Once the log is closed: its last published checkpoint. */
  readonly closed_with: string | undefined;
}

export interface LogReads {
  /** All logs, oldest first. */
  heads(): Promise<[LogHead, ...LogHead[]]>;
  /** How many entries all logs have together: the next log_index. */
  size(): Promise<number>;
  /** `erased_by` is the entry that says that the record was erased. */
  leaf(index: number): Promise<{ type: string; leaf: string; erased_by: number | null } | undefined>;
  /** Leaf texts from a log_index on, at most `limit`. */
  leaves(from: number, limit: number): Promise<string[]>;
  /** The record that a leaf commits to; undefined if it was erased or never existed. */
  record(index: number): Promise<{ salt: string; record: string } | undefined>;
  /** The records and salts of entries, by log_index; those that are not stored are left out. */
  records(indexes: readonly number[]): Promise<Map<number, { salt: string; record: string }>>;
  /** Reads hashes of complete subtrees of one log (evidence/log/merkle.ts). */
  tree(log: number): ReadNode;
  /** Hashes of one level of one log from a position on, at most `limit`. */
  nodes(log: number, level: number, from: number, limit: number): Promise<Buffer[]>;
}

/** Appends inside a transaction. */
export interface LogWrites extends LogReads {
  /**
   * Appends a leaf with its record and salt, while the log's head is locked; returns its log_index. `about` names the
   * listing and the time of the change that it is, for the stream of changes.
   */
  append(leaf: Leaf, about?: EntrySubject): Promise<number>;
  /** Deletes the record and salt of an entry, and names the entry that says so. */
  erase(index: number, by: number): Promise<void>;
  /** Closes the last log with its last published checkpoint, and opens the next one. */
  openNext(closedWith: string, at: string): Promise<void>;
}
