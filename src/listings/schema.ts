import type { Kysely } from 'kysely';
import type { LimitSchema, LimitTransaction } from '../limits/schema.ts';
import type { ModerationSchema, ModerationTransaction } from '../moderation/schema.ts';
import type { TransactionPart } from '../store/store.ts';
import { integer, json, oneOf, optional, type RowOf, type RowsOf, table, text } from '../store/table.ts';
import { listingTable, versionTable } from './listing.ts';

export type ListingRow = RowOf<typeof listingTable>;

/**
 * `name`: a package in any registry. `owner`: a domain or account, in no row. `called`: the name after the
 * slash, or the title. `account` and `website`: of the repository or website, and of the namespace.
 * `namesake`: a short description and the name after the slash. `tool`: the name of one that a check saw.
 * `template`: the fixed end of the host of an address to fill in, or what is before its first open part.
 * `moved`: where a check was redirected to from the recorded repository or endpoint. `started`: a package or
 * repository that start arguments of another package name. `input`: a variable, header or argument that the
 * record asks for or sets. `folder`: of a repository.
 */
export type ReferenceKind =
  | ('endpoint' | 'host' | 'repository' | 'package' | 'name' | 'description' | 'namesake' | 'word')
  | ('template' | 'started' | 'input' | 'folder')
  | ('tools' | 'tool' | 'pay_to' | 'advisory' | 'moved' | 'owner' | 'called' | 'account' | 'website');

const referenceTable = table('listing_reference', ['key', 'published_at', 'handle'], {
  key: text,
  handle: text,
  kind: oneOf<ReferenceKind>(),
  published_at: text,
  publisher: text,
  /** When a check saw it, RFC 3339; empty if a record names it. */
  as_of: text,
});

/** Reads leave out rows that the listing records again. */
const formerTable = table('former_reference', ['key', 'handle'], {
  key: text,
  handle: text,
  /** Published then: the first version without it, RFC 3339. */
  until: text,
});

/** `offers` have the form of `PaidOffer` in observations. */
export interface PaidAs {
  readonly endpoints: readonly string[];
  readonly offers: readonly Readonly<Record<'amount' | 'asset' | 'network' | 'scheme', string>>[];
}

/** docs/decisions/observations.md */
export const payeeTable = table('payee', ['key', 'handle', 'network'], {
  /** Of the address on any network, as in `listing_reference`. */
  key: text,
  handle: text,
  /** CAIP-2, or the endpoint's name for it; empty if unknown. */
  network: text,
  address: text,
  /** Seen without a break since then, RFC 3339. */
  since: text,
  seen_at: text,
  /** `seen_at`, once a check saw no endpoint ask for the payee or the recorded endpoints changed. */
  until: optional(text),
  seen: json<PaidAs>(),
});

/** Every write updates it, so that no read has to count. */
const facetCountTable = table('facet_count', ['facet'], { facet: text, listings: integer });

/** Records that were replaced. `record` is the JSON of PastRecord (writes.ts), and `until` the day. */
const pastTable = table('past_record', ['handle', 'until'], { handle: text, until: text, record: text });

const publisherCountTable = table('publisher_count', ['namespace'], { namespace: text, listings: integer });

export const listingTables = [
  listingTable,
  versionTable,
  referenceTable,
  formerTable,
  payeeTable,
  facetCountTable,
  publisherCountTable,
  pastTable,
] as const;
export interface ListingSchema extends LimitSchema, ModerationSchema, RowsOf<typeof listingTables> {}
export type Db = Kysely<ListingSchema>;
export interface ListingTransaction
  extends LimitTransaction,
    ModerationTransaction,
    TransactionPart<'listings' | 'changes'> {}
