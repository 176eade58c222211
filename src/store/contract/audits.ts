/** The audits of this database by its own nodes: the one that runs, and the last one that finished. Times are RFC 3339 UTC. */
export interface AuditRun {
  /** Lease of the node that audits; undefined if none does. */
  readonly owner: string | undefined;
  readonly finished_at: string | undefined;
  /** Log entries that the last finished audit compared. */
  readonly entries: number;
  readonly faults: number;
}

export interface AuditReads {
  /** Undefined if no audit ever began. */
  last(): Promise<AuditRun | undefined>;
}

/** Writes of audits inside a transaction. */
export interface AuditWrites extends AuditReads {
  put(run: AuditRun): Promise<void>;
}
