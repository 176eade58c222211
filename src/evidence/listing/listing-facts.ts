import type { Claim } from '../claim/claim.ts';
import type { ReceiptKey } from '../claim/receipt-keys.ts';
import type { ModerationNotice } from '../moderation/moderation.ts';
import type { StoredObservation } from '../observation/observation.ts';
import type { Listing, VersionSummary } from './listing.ts';
import type { ClaimEvent, ImportedSignal, NativeSignals } from './listing-document.ts';
import type { Reading } from './record/reading.ts';

/** Everything known about one listing; its parts are read side by side, not as of one moment. */
export interface ListingFacts {
  readonly listing: Listing;
  /** The newest ten, newest first. */
  readonly versions: readonly Pick<VersionSummary, 'version' | 'status' | 'published_at'>[];
  readonly imported: readonly ImportedSignal[];
  /** What this service observed itself of what the listing records now; undefined before the first check. */
  readonly observed:
    | { readonly observed_at: string; readonly observations: readonly StoredObservation[] }
    | undefined;
  readonly claim: Claim | undefined;
  readonly claimHistory: readonly ClaimEvent[];
  /** Keys for receipts that it publishes, and published, oldest first. */
  readonly receiptKeys: readonly ReceiptKey[];
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score' | 'proof_meanings'>;
  /** Listings under the same namespace, this one included. */
  readonly publisherListings: number;
  /** When the group of a rating changes next by time alone, RFC 3339. */
  readonly changesAt?: string;
  /** What the operator did that stands against the listing itself, its capabilities, namespace or account. */
  readonly moderation: readonly ModerationNotice[];
  readonly reading: Reading;
}
