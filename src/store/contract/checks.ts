/** The latest check of a place where a listing can be claimed, shared between nodes for an hour. */
export interface SharedCheck {
  readonly handle: string;
  /** Kind and key of the place. */
  readonly place: string;
  /** RFC 3339 UTC. */
  readonly begun_at: string;
  /** Who makes it: the node's name, and an id of the check. */
  readonly owner: string;
  /** The result, once there is one; stored as JSON. */
  readonly outcome: object | undefined;
}

export interface CheckReads {
  /** The latest check of a place of a listing, in progress or done; available for at least an hour. */
  newest(handle: string, place: string): Promise<SharedCheck | undefined>;
}

/** Writes of checks inside a transaction. */
export interface CheckWrites extends CheckReads {
  /** Replaces the latest check of the place. */
  put(check: SharedCheck): Promise<void>;
  remove(handle: string, place: string): Promise<void>;
  /** Deletes checks that began before a time (RFC 3339). */
  purge(before: string): Promise<void>;
}
