import type { Capability, CapabilityState, Claim } from '../../evidence/claim/claim.ts';
import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';

/** Ties an event of a claim to its log leaf. */
export interface ClaimEventProof {
  readonly capability_id?: string;
  readonly log_index: number;
}

export interface ClaimReads {
  claim(handle: string): Promise<Claim | undefined>;
  /** Claims after a handle, in handle order: for the periodic re-check. */
  claimed(afterHandle: string, limit: number): Promise<Claim[]>;
  /** A listing's active and suspended capabilities, oldest first; a check leaves at most 64 of them. */
  capabilities(handle: string): Promise<Capability[]>;
  /** How many of a listing's capabilities have leaked. */
  leakedCount(handle: string): Promise<number>;
  /** A capability by its SHA-256, hex. */
  capability(hash: string): Promise<Capability | undefined>;
  /** A capability by its id: the first 16 hex digits of its SHA-256. */
  capabilityById(id: string): Promise<Capability | undefined>;
  /** The same, with whether its listing is claimed now. */
  holder(hash: string): Promise<{ capability: Capability; isClaimed: boolean } | undefined>;
  /** The first generation of a control root that no event of this listing has: 0 for a new root. */
  nextRootGeneration(handle: string, root: string): Promise<number>;
  /** The newest 100 events of a claim, oldest first. */
  history(handle: string): Promise<ClaimEvent[]>;
}

/** Writes of claims inside a transaction. */
export interface ClaimWrites extends ClaimReads {
  /** Inserts or replaces the claim of a listing. */
  putClaim(claim: Claim): Promise<void>;
  /** Adds a capability. Throws if its hash is already known: an ended one never comes back this way. */
  addCapability(capability: Capability): Promise<void>;
  /** Changes the state of a capability; it ends at `at` (RFC 3339), unless it becomes active. */
  setCapabilityState(hash: string, state: CapabilityState, at: string): Promise<void>;
  /** Records which published key signed the challenge of a capability. */
  setSigner(hash: string, signed_by: string): Promise<void>;
  addEvent(handle: string, event: Omit<ClaimEvent, 'log_index'> & ClaimEventProof): Promise<void>;
}
