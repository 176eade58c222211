/** The last finished audit of this database by one of its own nodes. Times are RFC 3339 UTC. */
export interface AuditRun {
  readonly finished_at: string;
  /** Log entries that it compared. */
  readonly entries: number;
  readonly faults: number;
}

export interface AuditReads {
  /** Undefined if no audit ever finished. */
  last(): Promise<AuditRun | undefined>;
}

/** Writes of audits inside a transaction. */
export interface AuditWrites extends AuditReads {
  put(run: AuditRun): Promise<void>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly audits: AuditReads;
  }
  interface Transaction {
    readonly audits: AuditWrites;
  }
}
