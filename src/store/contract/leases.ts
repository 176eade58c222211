/** The right of one holder in one process to be the only one, over all nodes, to do what the lease names. */
export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Aborted when the lease was lost, or could not be renewed in time: from then on another node may act. */
  readonly signal: AbortSignal;
  /** Whether nobody else can have it now. To be asked before each act outside the database; inside, see `isHeldBy`. */
  isOurs(): boolean;
  /** Lets others take it at once. Never rejects: a lease that cannot be released expires. */
  release(): Promise<void>;
}

/** What is known of a lease that was not released. */
export interface LeaseState {
  readonly isHeld: boolean;
  /** RFC 3339 UTC. */
  readonly renewed_at: string;
}

export interface LeaseReads {
  /** Undefined if nobody has taken the lease, or its last holder released it. */
  find(name: string): Promise<LeaseState | undefined>;
}

/** Writes of leases inside a transaction; they change no listing. */
export interface LeaseWrites extends LeaseReads {
  /** Whether a lease is still its holder's. A transaction that asks first writes nothing for a holder that lost it. */
  isHeldBy(lease: Pick<Lease, 'name' | 'owner'>): Promise<boolean>;
  /** False while another holder has the lease. */
  take(name: string, owner: string): Promise<boolean>;
  /** Renews what these owners hold; returns the owners that still hold theirs. */
  renew(owners: readonly string[]): Promise<Set<string>>;
  release(owner: string): Promise<void>;
  /** Deletes leases that nobody renewed for a week. */
  purge(): Promise<void>;
}

/** The leases of a node; they are renewed until they are released. */
export interface Leases extends LeaseReads {
  /** Takes a lease; undefined while another holder has it, in this process or another. */
  take(name: string): Promise<Lease | undefined>;
  /** Releases what is still held, and renews no more. */
  end(): Promise<void>;
}
