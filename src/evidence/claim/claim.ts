import type { ClaimKind, SeenFacts } from './proof-place.ts';

/** The claim of a listing: what was shown to control where, and when that was last seen. Times are RFC 3339 UTC. */
export interface Claim {
  readonly handle: string;
  readonly state: 'claimed' | 'suspended';
  readonly suspended_reason?: string | undefined;
  readonly claimed_at: string;
  readonly kind: ClaimKind;
  /** The repository's address, or the domain of the namespace. */
  readonly place: string;
  /** What its challenges are bound to (ProofPlace). */
  readonly place_key: string;
  /** What the last proof of a domain saw. */
  readonly seen?: SeenFacts | undefined;
  /** The account or domain that proved it: `host/owner`, or `dns:` and the domain. */
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
  /** When the last check was applied that read something. */
  readonly checked_at: string;
  /** When a check failed last, since then. */
  readonly tried_at?: string | undefined;
  /** When a check first found its repository missing, empty or moved since the last proof: lines from before do not count any more. */
  readonly lost_at?: string | undefined;
  /** When a check first found its place without a line that counts, since its last proof, RFC 3339. */
  readonly missed_at?: string | undefined;
  /** Days (UTC, YYYY-MM-DD) on which checks failed since the last one that read anything; the first ten. */
  readonly failed_days?: readonly string[] | undefined;
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
  /** The published key that signed its challenge, where a signature proved it. */
  readonly signed_by?: string | undefined;
}
