/** The claim of a listing: who showed write access to its repository, and when that was last seen. Times are RFC 3339 UTC. */
export interface Claim {
  readonly handle: string;
  readonly state: 'claimed' | 'suspended';
  readonly suspended_reason?: string | undefined;
  readonly claimed_at: string;
  readonly repository: string;
  /** Lower-cased host/path without .git. */
  readonly repository_key: string;
  /** The account that holds the repository: `host/owner`. */
  readonly root: string;
  /** Counts the holders of that name on this listing, from 0: another number is another control root (docs/trust.md section 1). */
  readonly root_generation: number;
  /** When this control root first proved a claim of this listing; neither rotating nor restoring changes it. */
  readonly first_proved_at: string;
  /** Commit of the first proof in this repository, where the host names commits. */
  readonly commit?: string | undefined;
  readonly branch?: string | undefined;
  /** HEAD's commit when a usable claim line was last read there, and that time. */
  readonly proven_commit?: string | undefined;
  readonly proven_at?: string | undefined;
  readonly checked_at: string;
}

/** `leaked`: found published, and ended for good like a revoked one. */
export type CapabilityState = 'active' | 'suspended' | 'revoked' | 'leaked';

/** A capability as the service knows it: by its hash, never by the secret. Times are RFC 3339 UTC. */
export interface Capability {
  /** SHA-256 of the secret, hex. */
  readonly hash: string;
  /** The first 16 hex digits of the hash. */
  readonly id: string;
  readonly handle: string;
  readonly state: CapabilityState;
  readonly issued_at: string;
  readonly activated_at: string;
  readonly ended_at?: string | undefined;
}
