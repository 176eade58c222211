import type { SeenFacts } from '../../evidence/claim/proof-place.ts';
import type { PublishedKey } from '../../evidence/claim/registry-key.ts';
import type { ReadFailure } from '../../repositories/reader.ts';

/** A key that a domain publishes for the MCP registry, and where it was seen. */
export interface SeenKey extends PublishedKey {
  readonly seen: SeenFacts;
}

interface ReadFacts {
  /** Of a repository: the commit and branch that HEAD pointed to. */
  readonly commit?: string;
  readonly branch?: string;
  /** Whether this reading is authoritative: only such a one takes something away. */
  readonly pinned: boolean;
  readonly seen?: SeenFacts;
}

/** Why the place of a domain has no text that counts (docs/trust.md section 1, check.result). */
export type DomainFailure =
  | 'well_known_absent'
  | 'dns_no_record'
  | 'dns_no_answer'
  | 'dns_disagree'
  | 'key_not_published';

/** The text of a place where a listing can be claimed, or why it could not be read. `keys` only where signatures prove. */
export type PlaceCheck =
  | (ReadFacts & { readonly result: 'file'; readonly text: string; readonly keys?: readonly SeenKey[] })
  | (ReadFacts & {
      readonly result: ReadFailure | DomainFailure;
      readonly retry_after_s?: number;
    });
