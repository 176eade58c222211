import type { ClaimKind } from '../../evidence/claim/proof-place.ts';
import type { Json, Time } from './columns.ts';

/** One listing: the facts of its latest version. */
export interface ListingRow {
  /** The static rank (evidence/listing/static-rank.ts). */
  id: number;
  handle: string;
  handle_folded: string;
  namespace: string;
  title: string | null;
  description: string;
  version: string;
  /** Name of the registry it was imported from. */
  origin: string;
  origin_status: 'active' | 'deprecated';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  imported_at: Time;
  import_run: number;
  endpoint: string | null;
  repository: string | null;
  /** Lower-cased host/path without .git; the same for two listings of one repository. */
  repository_key: string | null;
  website: string | null;
  remotes: Json;
  packages: Json;
  tags: Json;
  /** Why the listing is no longer shown; its text columns are then empty, unless the operator withdrew it. */
  withdrawn: 'deleted' | 'optout' | 'operator' | null;
  /** 1: the operator has hidden title, description and status message. */
  hidden: number;
  /** Search facets, `kind:value` separated by spaces. */
  facets: string;
}

/** A line `optout <handle>` that a check read (evidence/listing/state/opt-out.ts). */
export interface OptOutRow {
  handle: string;
  state: 'seen' | 'withdrawn' | 'overruled' | 'contested';
  kind: ClaimKind;
  place: string;
  place_key: string;
  seen_at: Time;
  checked_at: Time;
  /** The withdrawn listing, to restore it from. */
  listing: Json | null;
}

/** Every version the registry ever listed, with its cleaned record. */
export interface ListingVersionRow {
  handle: string;
  version: string;
  status: 'active' | 'deprecated' | 'deleted';
  status_message: string | null;
  published_at: Time;
  updated_at: Time;
  /** 0 or 1. */
  is_latest: number;
  /** SHA-256 of the entry as received, hex. */
  digest: string;
  record: Json;
  /** When the entry as it is became visible here; also when its listing was withdrawn or hidden here, or shown again. */
  listed_at: Time;
}

/** Imported signals, apart from ratings: one row per listing and source (queries/listings/signals.ts). */
export interface ImportedSignalRow {
  handle: string;
  source: string;
  signals: Json;
}

/** How many visible listings have a facet; every write updates it, so that no read has to count. */
export interface FacetCountRow {
  facet: string;
  listings: number;
}

/** How many visible listings have a search term; every write updates it. */
export interface SearchTermRow {
  term: string;
  listings: number;
  /** Those of which it is one of the terms that say most. */
  strong: number;
}

/** How many visible listings a namespace has; every write updates it, so that no read has to count. */
export interface PublisherCountRow {
  namespace: string;
  listings: number;
}
