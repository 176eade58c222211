import type { Facet } from '../evidence/listing/facets.ts';
import type { ClaimEvent, ImportedSignal, NativeSignals } from '../evidence/listing/listing-document.ts';
import type { Leaf } from '../evidence/log/leaf.ts';
import type { ReadNode } from '../evidence/log/merkle.ts';
import type { RatingRecord, RatingResponse } from '../evidence/rating/rating.ts';
import type { Dump, Load } from './backup-contract.ts';
import type { Leases } from './lease.ts';
import type {
  CapabilityTable,
  ClaimCheckTable,
  ClaimTable,
  FeedbackTable,
  ImportRunTable,
  ListingTable,
  ListingVersionTable,
  LogHeadTable,
  QuarantineTable,
  RatingTable,
} from './schema.ts';

export type ListingRow = ListingTable;
export type VersionRow = ListingVersionTable;
export type ClaimRow = ClaimTable;
export type CapabilityRow = CapabilityTable;
export type ClaimCheckRow = ClaimCheckTable;
export type RatingRow = RatingTable;
export type FeedbackRow = FeedbackTable;
/** A run as stored; `id` is set by the store. */
export type ImportRun = ImportRunTable;
export type QuarantineRow = QuarantineTable;
/** What a version is known by without its record. */
export type VersionSummary = Omit<VersionRow, 'record' | 'status_message'>;

/** Everything that is known of one listing; its parts are read side by side, not as of one moment. */
export interface ListingFacts {
  readonly listing: ListingRow;
  /** The newest ten, newest first. */
  readonly versions: readonly VersionSummary[];
  readonly imported: readonly ImportedSignal[];
  readonly claim: ClaimRow | undefined;
  readonly claimHistory: readonly ClaimEvent[];
  readonly native: Omit<NativeSignals, 'statement' | 'computed_score'>;
  /** Listings under the same namespace, this one included. */
  readonly publisherListings: number;
  readonly lastNativeAt: string | undefined;
  readonly lastImportAt: string | undefined;
}

/** A hit: the listing and how it was found. */
export interface SearchHit {
  readonly listing: ListingRow;
  /** 1 found in its name, 2 in its tags, 3 anywhere; 0 without words. */
  readonly tier: 0 | 1 | 2 | 3;
}

/** What to search for; all facets and all words must match. */
export interface SearchQuery {
  /** Words of the searcher, already split; the last one matches as a prefix from three letters on. */
  readonly words: readonly string[];
  readonly facets: readonly Facet[];
  readonly after: { readonly tier: number; readonly id: number } | undefined;
  readonly limit: number;
}

/** Hits counted up to 1,000; facets are counted over the same. */
export interface SearchCounts {
  readonly total: number;
  readonly capped: boolean;
  readonly facets: Readonly<Record<Facet, number>>;
}

export interface ListingReads {
  /** Everything about one listing; undefined where the handle is unknown. Withdrawn ones are answered too. */
  facts(handle: string): Promise<ListingFacts | undefined>;
  row(handle: string): Promise<ListingRow | undefined>;
  /** The known ones of these handles, in no order. */
  rows(handles: readonly string[]): Promise<ListingRow[]>;
  /** Up to `limit` visible handles near an unknown one: other capitals first, then the same name or start. */
  near(handle: string, limit: number): Promise<string[]>;
  /** Visible listings, by tier and static order. */
  search(query: SearchQuery): Promise<SearchHit[]>;
  searchCounts(query: Pick<SearchQuery, 'words' | 'facets'>): Promise<SearchCounts>;
  /** Counts of a facet kind over all visible listings, most first. */
  facetCounts(kind: string): Promise<{ facet: Facet; listings: number }[]>;
  /** Visible handles and their update times after a handle, in handle order: for the sitemap. */
  page(afterHandle: string, limit: number): Promise<Pick<ListingRow, 'handle' | 'updated_at'>[]>;
  /** Newest by first publication, or by last update. */
  newest(by: 'published_at' | 'updated_at', limit: number): Promise<ListingRow[]>;
  count(): Promise<number>;
  /** Distinct values that start with a prefix, for completion. */
  completions(part: 'namespace' | 'handle', prefix: string, limit: number): Promise<string[]>;
  versionSummaries(handles: readonly string[]): Promise<VersionSummary[]>;
  version(handle: string, version: string): Promise<VersionRow | undefined>;
}

/** What one source says of a listing; it replaces what it said before. */
export interface SourceSignals {
  readonly handle: string;
  readonly source: string;
  readonly signals: readonly ImportedSignal[];
}

export interface ListingWrites extends ListingReads {
  /** Inserts or replaces versions by (handle, version). */
  putVersions(rows: readonly VersionRow[]): Promise<void>;
  /**
   * Inserts or replaces listings by handle and brings index and counters up to date. `facets` must come from
   * evidence/facets.ts; a row's `id` may change, its handle never.
   */
  putListings(rows: readonly ListingRow[]): Promise<void>;
  /** Recomputes the facets that follow from claim and ratings. */
  reindex(handle: string): Promise<void>;
  putSignals(rows: readonly SourceSignals[]): Promise<void>;
}

/**
 * Which records of a subject to read. All versions without `outcome` and `independent`; with either, the current
 * ratings that fit, which are the ones that counts count.
 */
export interface RatingPage {
  readonly after?: { readonly created_at: string; readonly id: string };
  readonly limit: number;
  readonly outcome?: RatingRecord['outcome'];
  readonly independent?: boolean;
}

/** How many current ratings of one outcome and one kind of source were made in a month (YYYY-MM, UTC). */
export interface MonthCount {
  readonly month: string;
  readonly outcome: RatingRecord['outcome'];
  readonly independent: boolean;
  readonly ratings: number;
}

/** What flags and rules look at in a listing (evidence/rating-rules.ts). */
export type RatingSide = Pick<ListingRow, 'handle' | 'repository_key' | 'endpoint' | 'withdrawn'>;

/** What decides whether a capability's listing may rate another one, and as what that counts. */
export interface RatingSides {
  readonly capability_state: CapabilityRow['state'];
  /** Undefined where the listing is not claimed any more. */
  readonly claimed_at: string | undefined;
  readonly source: RatingSide;
  /** Undefined where no listing has the handle. */
  readonly subject: RatingSide | undefined;
  /** Whether the subject has a current rating of the source, created since the time that was asked for. */
  readonly reciprocal: boolean;
}

export interface RatingReads {
  /** The sides of a rating by the holder of a capability (its hash); undefined where that is not known. */
  sides(capabilityHash: string, subject: string, since: string): Promise<RatingSides | undefined>;
  byId(id: string): Promise<RatingRow | undefined>;
  /** The current rating of one interaction. */
  current(source: string, subject: string, interactionId: string): Promise<RatingRow | undefined>;
  /** What the rated listing answered to a rating. */
  response(ratingId: string): Promise<RatingResponse | undefined>;
  /** A page of a subject's public records, newest first. */
  list(subject: string, page: RatingPage): Promise<RatingRecord[]>;
  /** Current ratings of a subject created since a time, the newest 5,000 at most, by month; the oldest month first. */
  months(subject: string, since: string): Promise<MonthCount[]>;
}

export interface RatingWrites extends RatingReads {
  insert(row: RatingRow): Promise<void>;
  /** Keeps the one response to a rating; throws where there is one already. */
  respond(rating: Pick<RatingRow, 'id' | 'subject_handle'>, response: RatingResponse): Promise<void>;
  /** Marks a current rating as superseded, or as withdrawn with its older versions; false where it is not current. */
  end(
    id: string,
    how: { superseded_by: string } | { withdrawn_at: string; withdrawn_reason: string | null },
  ): Promise<boolean>;
}

export interface ClaimReads {
  claim(handle: string): Promise<ClaimRow | undefined>;
  /** Claims after a handle, in handle order: for the re-check. */
  claimed(afterHandle: string, limit: number): Promise<ClaimRow[]>;
  /** Active and suspended ones, oldest first; the newest 64 where there are more. */
  capabilities(handle: string): Promise<CapabilityRow[]>;
  /** How many of a listing’s capabilities were leaked. */
  leakedCount(handle: string): Promise<number>;
  /** By SHA-256 of the capability, hex. */
  capability(hash: string): Promise<CapabilityRow | undefined>;
  /** The same, with whether its listing is claimed now. */
  holder(hash: string): Promise<{ capability: CapabilityRow; isClaimed: boolean } | undefined>;
  history(handle: string): Promise<ClaimEvent[]>;
}

export interface ClaimWrites extends ClaimReads {
  putClaim(row: ClaimRow): Promise<void>;
  /** A capability not known yet; what ended once never comes back this way. */
  addCapability(row: CapabilityRow): Promise<void>;
  setCapabilityState(hash: string, state: CapabilityRow['state'], at: string): Promise<void>;
  addEvent(handle: string, event: Omit<ClaimEvent, 'log_index'> & ClaimEventProof): Promise<void>;
}

export interface CheckReads {
  /** The newest look at a listing's repository, under way or done; for an hour at least. */
  newest(handle: string): Promise<ClaimCheckRow | undefined>;
}

export interface CheckWrites extends CheckReads {
  /** Keeps a look in the place of the listing's last one. */
  put(row: ClaimCheckRow): Promise<void>;
  remove(handle: string): Promise<void>;
  /** Deletes looks that began before a time. */
  forget(before: string): Promise<void>;
}

/** What ties an event to its log leaf. */
export interface ClaimEventProof {
  readonly capability_id?: string;
  readonly log_index: number;
}

/** One log: where its entries begin among all, how many it has, and whether it is closed. */
export type LogHead = LogHeadTable;

export interface LogReads {
  /** All logs, the one that is written to last. */
  heads(): Promise<[LogHead, ...LogHead[]]>;
  /** Entries of all logs together: the next log_index. */
  size(): Promise<number>;
  leaf(index: number): Promise<{ type: string; leaf: string } | undefined>;
  /** Leaf texts from a log_index on, at most `limit`. */
  leaves(from: number, limit: number): Promise<string[]>;
  /** What a leaf commits to; undefined where it was erased or never was. */
  record(index: number): Promise<{ salt: string; record: string } | undefined>;
  /** Reads hashes of complete subtrees of one log (evidence/merkle.ts). */
  tree(log: number): ReadNode;
  /** Hashes of one level of one log from a position on, at most `limit`. */
  nodes(log: number, level: number, from: number, limit: number): Promise<Buffer[]>;
}

export interface LogWrites extends LogReads {
  /** Appends one leaf, its record and its salt under the head's lock; answers its log_index. */
  append(leaf: Leaf): Promise<number>;
  /** Closes the log that is written to, with the last checkpoint published of it, and opens the next one. */
  openNext(closedWith: string, at: string): Promise<void>;
}

export interface ImportReads {
  /** The newest run, and the newest one that ended well; of one source where that is named. */
  last(source?: string): Promise<{ run: ImportRun | undefined; done: ImportRun | undefined }>;
  /** The runs in state `running`, whether somebody works on them or not. */
  running(): Promise<ImportRun[]>;
  /** The newest first. */
  quarantined(limit: number): Promise<QuarantineRow[]>;
  /** How many quarantined records there are for each reason, most first. */
  quarantineReasons(): Promise<{ reason: string; records: number }[]>;
}

export interface ImportWrites extends ImportReads {
  startRun(run: Omit<ImportRun, 'id'>): Promise<number>;
  saveRun(id: number, change: Partial<Omit<ImportRun, 'id'>>): Promise<void>;
  quarantine(rows: readonly QuarantineRow[]): Promise<void>;
  /** Forgets a quarantined record that has since come in well-formed. */
  release(names: readonly { name: string; version: string }[]): Promise<void>;
}

export interface FeedbackReads {
  list(state: 'open' | 'closed' | 'all', limit: number): Promise<FeedbackRow[]>;
  show(id: string): Promise<FeedbackRow | undefined>;
  /** How many came in since a time. */
  countSince(time: string): Promise<number>;
}

export interface FeedbackWrites extends FeedbackReads {
  add(row: FeedbackRow): Promise<void>;
  close(id: string): Promise<boolean>;
}

export interface KeyReads {
  /** The claim key ring, newest first; base64 secrets. */
  claimKeys(): Promise<{ kid: number; secret: string; created_at: string }[]>;
  /** Seed of the key that signs checkpoints, base64. */
  logSeed(): Promise<string | undefined>;
}

export interface KeyWrites extends KeyReads {
  addClaimKey(key: { kid: number; secret: string; created_at: string }): Promise<void>;
  addLogSeed(seed: string, created_at: string): Promise<void>;
}

/** A call against a bucket; `day` where the key holds a network's HMAC of that day. */
export interface BucketCall {
  readonly key: string;
  readonly day: string | null;
  /** What the call costs and what the bucket holds, as the time it takes to come back. */
  readonly step_ms: number;
  readonly capacity_ms: number;
}

export interface LimitReads {
  /** The key that networks are known by on a day, base64. */
  dailyKey(day: string): Promise<string | undefined>;
}

export interface LimitWrites extends LimitReads {
  /** Takes those calls that fit, each of another bucket; answers 0 for each of them, or the ms until it would fit. */
  take(calls: readonly BucketCall[], now_ms: number): Promise<number[]>;
  /** Keeps a day's key and answers the one that counts: another node may have been first. */
  addDailyKey(day: string, secret: string): Promise<string>;
  /** Deletes full buckets, and networks and keys of days before today. */
  forget(now_ms: number, today: string): Promise<void>;
}

/** Reads of all nouns at one connection. */
export interface Reads {
  readonly listings: ListingReads;
  readonly ratings: RatingReads;
  readonly claims: ClaimReads;
  readonly checks: CheckReads;
  readonly log: LogReads;
  readonly imports: ImportReads;
  readonly feedback: FeedbackReads;
  readonly keys: KeyReads;
  readonly limits: LimitReads;
}

/** The same nouns inside one transaction, with their writes; what it reads, it reads under its own lock. */
export interface Transaction extends Reads {
  readonly listings: ListingWrites;
  readonly ratings: RatingWrites;
  readonly claims: ClaimWrites;
  readonly checks: CheckWrites;
  readonly log: LogWrites;
  readonly imports: ImportWrites;
  readonly feedback: FeedbackWrites;
  readonly keys: KeyWrites;
  readonly limits: LimitWrites;
}

/** Which listings a committed transaction touched; 'all' where that is not known. */
export type ChangedHandles = readonly string[] | 'all';

/** What an engine's error means to whoever asked: no room is left, or the database cannot be reached right now. */
export type Failure = 'storage_full' | 'unavailable';

/** Where everything is kept: one contract, one conformance suite, several engines. */
export interface Store extends Reads {
  /**
   * Runs `work` in one serializable transaction and answers its result once it is durable. Work that throws
   * leaves no trace. Work may run again after a conflict, so it has no effects outside the transaction.
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** What an error of the engine means; undefined where it is none of those that pass. */
  failureOf(error: unknown): Failure | undefined;
  /** The name of this process among those that work on the same store. */
  readonly node: string;
  /** Whether the process of a name still runs; one that cannot be asked counts as running. */
  isPresent(node: string): Promise<boolean>;
  /** Work that nodes have taken on: imports and repository checks. */
  readonly leases: Leases;
  /** Whether everything is there: false in the middle of a load, and where one did not end. */
  isWhole(): Promise<boolean>;
  /** Hands everything that is kept, as it is at one moment, to `work`. */
  dump<T>(work: (dump: Dump) => Promise<T>): Promise<T>;
  /** Begins to fill a new database from a dump, or one that an interrupted load left; undefined where it is in use. */
  load(): Promise<Load | undefined>;
  /** Calls back after each commit that touched listings, this process's or another's. Answers the undo. */
  onChange(listener: (written: ChangedHandles) => void): () => void;
  close(): Promise<void>;
}
