import type { Kysely } from 'kysely';
import type { LimitSchema, LimitTransaction } from '../limits/schema.ts';
import type { ModerationSchema, ModerationTransaction } from '../moderation/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, json, oneOf, optional, type RowOf, type RowsOf, table, text } from '../store/table.ts';
import { listingTable, versionTable } from './listing.ts';

export type ListingRow = RowOf<typeof listingTable>;

/** `name` is a package in any registry, `namesake` a short description with the name after the slash. */
export type ReferenceKind =
  | ('endpoint' | 'host' | 'repository' | 'package' | 'name' | 'description' | 'namesake' | 'word')
  | ('tools' | 'pay_to');

/** Keys are equal for the same thing (listings/references/references.ts). */
const referenceTable = table('listing_reference', ['key', 'published_at', 'handle'], {
  key: text,
  handle: text,
  kind: oneOf<ReferenceKind>(),
  published_at: text,
  publisher: text,
  /** When a check saw the reference, RFC 3339; empty if a record names it. */
  as_of: text,
});

/** Of earlier versions. Reads leave out rows that the listing now records again. */
const formerTable = table('former_reference', ['key', 'handle'], {
  key: text,
  handle: text,
  /** When the first version without the reference was published, RFC 3339. */
  until: text,
});

/** `offers` have the form of `PaidOffer` in observations. */
export interface PaidAs {
  readonly endpoints: readonly string[];
  readonly offers: readonly Readonly<Record<'amount' | 'asset' | 'network' | 'scheme', string>>[];
}

/** Present and former (docs/decisions/observations.md). */
export const payeeTable = table('payee', ['key', 'handle', 'network'], {
  /** Of the address alone, on any network, as in `listing_reference`. */
  key: text,
  handle: text,
  /** CAIP-2, or the endpoint's name for a network that Dossier does not know. Empty if none is known. */
  network: text,
  address: text,
  /** From when the payee was seen without a break, and the last check that saw it, RFC 3339. */
  since: text,
  seen_at: text,
  /**
   * Equal to `seen_at` once a check saw no endpoint ask for the payee, or the recorded endpoints changed.
   */
  until: optional(text),
  seen: json<PaidAs>(),
});

/** Of visible listings. Every write updates it, so that no read has to count. */
const facetCountTable = table('facet_count', ['facet'], { facet: text, listings: integer });

const publisherCountTable = table('publisher_count', ['namespace'], { namespace: text, listings: integer });

export const listingTables = [
  listingTable,
  versionTable,
  referenceTable,
  formerTable,
  payeeTable,
  facetCountTable,
  publisherCountTable,
] as const;
export interface ListingSchema extends LimitSchema, ModerationSchema, RowsOf<typeof listingTables> {}
export type Db = Kysely<ListingSchema>;
export interface ListingTransaction
  extends LimitTransaction,
    ModerationTransaction,
    TransactionPart<'listings' | 'changes'> {}
