/** The latest check of a listing's repository, shared between nodes for an hour. */
export interface SharedCheck {
  readonly handle: string;
  /** Lower-cased host/path without .git. */
  readonly repository_key: string;
  /** RFC 3339 UTC. */
  readonly begun_at: string;
  /** Who makes it: the node's name, and an id of the check. */
  readonly owner: string;
  /** The result, once there is one; stored as JSON. */
  readonly outcome: object | undefined;
}

export interface CheckReads {
  /** The latest check of a listing's repository, in progress or done; available for at least an hour. */
  newest(handle: string): Promise<SharedCheck | undefined>;
}

/** Writes of checks inside a transaction. */
export interface CheckWrites extends CheckReads {
  /** Replaces the listing's latest check. */
  put(check: SharedCheck): Promise<void>;
  remove(handle: string): Promise<void>;
  /** Deletes checks that began before a time (RFC 3339). */
  purge(before: string): Promise<void>;
}
