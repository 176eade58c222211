import { type RawBuilder, sql } from 'kysely';
import type { ReceiptKey, SeenReceiptKey } from '../claims/receipt-keys.ts';
import { countedSource, type RecordedIdentity, rootIdentity } from '../core/identity.ts';
import type { Json, Time } from '../store/store.ts';
import {
  groupOf,
  groupRules,
  leastPraise,
  type RatingBasis,
  type RatingFlag,
  type RatingGroup,
  ratingFlags,
  type StatedOverlap,
} from './groups.ts';
import {
  isCurrent,
  type MonthCount,
  type Rating,
  type RatingCell,
  type RatingFilter,
  type RatingRecord,
  type RatingResponse,
} from './rating.ts';
import type { RatingSides } from './rules.ts';

/**
 * Which ratings of a subject to read: without a filter all versions, otherwise only the current ratings that match, which
 * are those that the counts include.
 */
interface RatingPage extends RatingFilter {
  /** Continue after this rating. */
  readonly after?: { readonly created_at: string; readonly id: string } | undefined;
  readonly limit: number;
  /** The time at which groups are judged, RFC 3339. */
  readonly now: string;
}

/** A control root of a listing: an account, and which of its holders in turn. */
export interface SourceRoot {
  readonly root: string;
  readonly root_generation: number;
}

/** The keys for receipts that a check saw in a claim file, at a time (RFC 3339). */
export interface SeenKeys {
  readonly keys: readonly SeenReceiptKey[];
  readonly at: string;
  /** Whether keys that are not among them end. */
  readonly isComplete: boolean;
}

/** A proof by the SHA-256 of what identifies it (hex), the rating that uses it, and the ids of its earlier versions. */
export interface SpentProof {
  readonly digest: string;
  readonly rating_id: string;
  readonly versions: readonly string[];
}

/** How a rating stops counting. */
type RatingEnd =
  | { readonly superseded_by: string }
  | { readonly withdrawn_at: string; readonly withdrawn_by: number };

export interface RatingReads {
  /** Both sides of a rating by the holder of a capability, given by its hash; undefined for an unknown capability. */
  sides(capabilityHash: string, subject: string): Promise<RatingSides | undefined>;
  byId(id: string): Promise<Rating | undefined>;
  /** The keys for receipts that a listing publishes, and published, oldest first. */
  receiptKeys(handle: string): Promise<ReceiptKey[]>;
  /** The current ratings by and about a listing. */
  currentWith(handle: string): Promise<Rating[]>;
  /** Every version of the ratings of one interaction but erased ones, withdrawn ones included, oldest first. */
  versions(source: string, subject: string, interactionId: string): Promise<Rating[]>;
  /** Every account and host that the records of two listings ever named, and what namespaces and claims proved. */
  identities(source: string, subject: string): Promise<RecordedIdentity[]>;
  /** The rated listing's response to a rating. */
  response(ratingId: string): Promise<RatingResponse | undefined>;
  /** A page of a subject's public records, newest first. */
  list(subject: string, page: RatingPage): Promise<RatingRecord[]>;
  /** A subject's counted ratings by outcome, group at a time (RFC 3339) and class of proof. */
  cells(subject: string, now: string): Promise<RatingCell[]>;
  /** The current ratings of a subject since a time, at most the newest 5,000, counted by month; oldest month first. */
  months(subject: string, period: { readonly since: string; readonly now: string }): Promise<MonthCount[]>;
}

/** Writes of ratings inside a transaction. */
export interface RatingWrites extends RatingReads {
  /** Adds a rating. Throws if the same interaction already has a current one. */
  insert(rating: Rating): Promise<void>;
  /** Marks a new rating and those in the other direction that are now reciprocal; whether this one is. */
  settlePairs(rating: Rating): Promise<boolean>;
  /** Records which keys for receipts a listing publishes: new ones begin, missing or changed ones end. */
  putReceiptKeys(handle: string, seen: SeenKeys): Promise<void>;
  /** Uses up a proof, in place of earlier versions of the rating; false if another rating used it. */
  spendProof(proof: SpentProof): Promise<boolean>;
  /** Adds identities of listings; those that are stored keep their first date. */
  putIdentities(identities: readonly RecordedIdentity[]): Promise<void>;
  /**
   * Records which control root a listing's claim in force belongs to, undefined if none is: ratings by another root of
   * the listing get the group source_ended, those by this root lose it.
   */
  setSourceRoot(
    handle: string,
    change: { readonly held: SourceRoot | undefined; readonly at: string },
  ): Promise<void>;
  /** Records a control root that a claim of a listing proved at a time: what is related or reciprocal by it is marked. */
  addHolder(handle: string, proved: { readonly root: string; readonly at: string }): Promise<void>;
  /** Adds the only response to a rating. Throws if there already is one. */
  respond(rating: Pick<Rating, 'id' | 'subject_handle'>, response: RatingResponse): Promise<void>;
  /** Erases what a rating said, for good: it is a tombstone then, and its older versions are withdrawn. Returns the rated handle. */
  erase(id: string, erasure: { readonly at: string; readonly by: number }): Promise<string | undefined>;
  /** Erases the text of the response to a rating. Returns the rated handle. */
  eraseResponse(ratingId: string, at: string): Promise<string | undefined>;
  /** Voids a rating as of a time, or lets it count again. Returns the rated handle. */
  setVoided(id: string, at: string | undefined): Promise<string | undefined>;
  /** Ends a rating, also a voided one; withdrawing it also withdraws its older versions. False if it has ended already. */
  end(id: string, how: RatingEnd): Promise<boolean>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly ratings: RatingReads;
  }
  interface Transaction {
    readonly ratings: RatingWrites;
  }
}

/** A native rating, every version of it. */
export interface RatingRow {
  id: string;
  subject_handle: string;
  source_handle: string;
  source_capability_id: string;
  source_root: string;
  /** What source_root is counted as, and whom it stands for, by which it is matched (evidence/rating/identity.ts). */
  source: string;
  source_identity: string;
  source_root_generation: number;
  /** The control root whose claim of the subject was in force when this version was made. */
  subject_root: string | null;
  subject_root_generation: number | null;
  interaction_id: string;
  interaction_at: Time;
  outcome: string;
  score: number | null;
  /** The remaining content fields. */
  content: Json;
  /** SHA-256 of the canonical content, hex: tells a replay from a conflict. */
  content_digest: string;
  /** What was checked of the interaction (evidence/rating/proof). */
  proof_class: string;
  /** SHA-256 of salt and proof, and the salt; base64. */
  proof_commitment: string | null;
  proof_salt: string | null;
  /** What decides the group (evidence/rating/groups.ts): the first three are 0 or 1. */
  related: number;
  declared_interest: number;
  reciprocal: number;
  stated_overlap: Json | null;
  source_ended_at: Time | null;
  new_until: Time;
  created_at: Time;
  /** Of the first version. */
  first_created_at: Time;
  /** 90 days later: until when a rating in the other direction makes a pair with it. */
  pair_until: Time;
  supersedes: string | null;
  superseded_by: string | null;
  withdrawn_at: Time | null;
  withdrawn_by: number | null;
  /** When the operator erased what it said; it is withdrawn then too. */
  erased_at: Time | null;
  /** When the operator voided it; it counts in no group then. */
  voided_at: Time | null;
  /** 1 while neither superseded, withdrawn nor voided. */
  is_current: number;
  log_index: number;
}

/** A proof that a rating used up; the row goes when the rating is erased. */
export interface SpentProofRow {
  /** SHA-256 of what identifies the proof, hex. */
  digest: string;
  rating_id: string;
}

/** The rated listing’s only response to a rating. */
export interface RatingResponseRow {
  rating_id: string;
  text: string;
  created_at: Time;
  log_index: number;
  /** When the operator erased its text. */
  erased_at: Time | null;
}

/** An account or host that a version of a listing ever named, or that its namespace or a claim of it proved. */
export interface RecordedIdentityRow {
  handle: string;
  kind: 'proven' | 'stated';
  value: string;
  first_imported_at: Time;
}

declare module '../store/store.ts' {
  interface Schema {
    rating: RatingRow;
    rating_response: RatingResponseRow;
    spent_proof: SpentProofRow;
    recorded_identity: RecordedIdentityRow;
  }
}

/** The part of a rating that has no columns of its own. */
type StoredContent = Pick<RatingRecord, 'protocol' | 'relationship'>;

const day_ms = 86_400_000;
/** Two ratings within this time in both directions are a pair (docs/ratings.md). */
const pair_ms = 90 * day_ms;

/** A rating as a row. */
export function encodeRating(rating: Rating): RatingRow {
  const { id, subject_handle, source_handle, source_root, created_at, log_index, ...rest } = rating;
  const { source_capability_id, content_digest, proof_class, proof_commitment, proof_salt, ...made } = rest;
  const { source_root_generation, first_created_at, ...basis } = made;
  const { related, declared_interest, reciprocal, stated_overlap, source_ended_at, new_until, ...root } =
    basis;
  const { subject_root, subject_root_generation, ...more } = root;
  const { supersedes, superseded_by, withdrawn_at, withdrawn_by, erased_at, voided_at, ...sent } = more;
  const { interaction_id, interaction_at, outcome, score, ...content } = sent;
  return {
    ...{ id, subject_handle, source_handle, source_root, created_at, log_index },
    ...{ source_capability_id, content_digest, interaction_id, interaction_at, outcome },
    score: score ?? null,
    proof_class,
    proof_commitment: proof_commitment ?? null,
    proof_salt: proof_salt ?? null,
    content: JSON.stringify(content),
    ...{ source: countedSource(source_root), source_identity: rootIdentity(source_root) },
    ...{ source_root_generation, first_created_at, new_until },
    pair_until: new Date(Date.parse(first_created_at) + pair_ms).toISOString(),
    subject_root: subject_root ?? null,
    subject_root_generation: subject_root_generation ?? null,
    related: related ? 1 : 0,
    declared_interest: declared_interest ? 1 : 0,
    reciprocal: reciprocal ? 1 : 0,
    stated_overlap: stated_overlap ? JSON.stringify(stated_overlap) : null,
    source_ended_at: source_ended_at ?? null,
    supersedes: supersedes ?? null,
    superseded_by: superseded_by ?? null,
    withdrawn_at: withdrawn_at ?? null,
    withdrawn_by: withdrawn_by ?? null,
    erased_at: erased_at ?? null,
    voided_at: voided_at ?? null,
    is_current: isCurrent(rating) ? 1 : 0,
  };
}

/** The content of a row that has no columns of its own. */
export const decodeContent = ({ content }: RatingRow): StoredContent => JSON.parse(content) as StoredContent;

const decodeBasis = (row: RatingRow): RatingBasis => ({
  related: row.related === 1,
  declared_interest: row.declared_interest === 1,
  reciprocal: row.reciprocal === 1,
  ...(row.stated_overlap && { stated_overlap: JSON.parse(row.stated_overlap) as StatedOverlap }),
  ...(row.source_ended_at && { source_ended_at: row.source_ended_at }),
  new_until: row.new_until,
});

/** The group of a row at a time (RFC 3339), with its reason. */
export const decodeGroup = (row: RatingRow, now: string) => groupOf(decodeBasis(row), now);

/** The columns of a row that its public record always has. */
export const decodeColumns = (row: RatingRow) => ({
  id: row.id,
  subject_handle: row.subject_handle,
  source_handle: row.source_handle,
  source_root: row.source_root,
  source_root_generation: row.source_root_generation,
  interaction_at: row.interaction_at,
  outcome: row.outcome as RatingRecord['outcome'],
  ...(row.score !== null && { score: row.score }),
  created_at: row.created_at,
  proof_class: row.proof_class as RatingRecord['proof_class'],
  ...(row.proof_commitment !== null && { proof_commitment: row.proof_commitment }),
  log_index: row.log_index,
  ...(row.supersedes && { supersedes: row.supersedes }),
  ...(row.superseded_by && { superseded_by: row.superseded_by }),
  ...(row.withdrawn_at && { withdrawn_at: row.withdrawn_at }),
  ...(row.erased_at && { erased_at: row.erased_at }),
  ...(row.voided_at && { voided_at: row.voided_at }),
});

/** All of a row; unlike the public record, also the texts of a withdrawn rating. */
export const decodeRating = (row: RatingRow): Rating => ({
  ...decodeContent(row),
  ...decodeColumns(row),
  ...decodeBasis(row),
  interaction_id: row.interaction_id,
  first_created_at: row.first_created_at,
  ...(row.subject_root !== null && { subject_root: row.subject_root }),
  ...(row.subject_root_generation !== null && { subject_root_generation: row.subject_root_generation }),
  source_capability_id: row.source_capability_id,
  content_digest: row.content_digest,
  ...(row.proof_salt !== null && { proof_salt: row.proof_salt }),
  ...(row.withdrawn_by !== null && { withdrawn_by: row.withdrawn_by }),
});

const tests = {
  true: (column: RawBuilder<unknown>) => sql<boolean>`${column} = 1`,
  present: (column: RawBuilder<unknown>) => sql<boolean>`${column} is not null`,
  until: (column: RawBuilder<unknown>, now: string) => sql<boolean>`${column} > ${now}`,
};

/** Whether a flag holds for a row; the basis of a rule has a column of its name. */
const holds = (flag: RatingFlag, now: string) =>
  tests[groupRules[flag].holds](sql.ref(`rating.${groupRules[flag].basis}`), now);

/** The group of a rating's row at a time (RFC 3339): the first flag that holds, as groupOf decides it. */
export function groupCase(now: string): RawBuilder<RatingGroup> {
  const cases = ratingFlags.map((flag) => sql`when ${holds(flag, now)} then ${sql.lit(flag)}`);
  return sql<RatingGroup>`case ${sql.join(cases, sql` `)} else 'independent' end`;
}

/** How many rows a flag holds for, alone or with others. */
export const countFlag = (flag: RatingFlag, now: string): RawBuilder<number> =>
  sql<number>`sum(case when ${holds(flag, now)} then 1 else 0 end)`;

/** Whether a row praises, as isPraise decides it. */
export const praises = sql<boolean>`(rating.outcome = 'succeeded' or coalesce(rating.score, 0) >= ${sql.lit(leastPraise)})`;
