import { type RawBuilder, sql } from 'kysely';
import { countedSource, type RecordedIdentity, rootIdentity } from '../core/identity.ts';
import { type RowOf, withNulls, withoutNulls } from '../store/query.ts';
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
  type Rating,
  type RatingContent,
  type RatingRecord,
  type RatingResponse,
} from './rating.ts';

/** A control root of a listing: an account, and which of its holders in turn. */
export interface SourceRoot {
  readonly root: string;
  readonly root_generation: number;
}

/** Columns of a rating that are stored otherwise than Rating has them, or follow from it. */
type ComputedColumn = 'related' | 'declared_interest' | 'reciprocal' | 'stated_overlap' | 'praised_at';

/** A native rating, every version of it. */
export type RatingRow = RowOf<Omit<Rating, ComputedColumn | keyof StoredContent>> & {
  /** What source_root is counted as, and whom it stands for, by which it is matched (core/identity.ts). */
  source: string;
  source_identity: string;
  /** The content that has no columns of its own. */
  content: Json;
  /** 0 or 1, as the two after it. */
  related: number;
  declared_interest: number;
  reciprocal: number;
  stated_overlap: Json | null;
  /** 90 days after the first version: until when a rating in the other direction makes a pair with it. */
  pair_until: Time;
  /** 1 while neither superseded, withdrawn nor voided. */
  is_current: number;
};

/** A proof that a rating used up, by the SHA-256 of what identifies it, hex; the row goes when the rating is erased. */
export interface SpentProofRow {
  digest: string;
  rating_id: string;
}

/** The rated listing’s only response to a rating; `erased_at` is when the operator erased its text. */
export type RatingResponseRow = RowOf<Omit<RatingResponse, 'hidden_at' | 'moderation'>> & {
  rating_id: string;
};

declare module '../store/store.ts' {
  interface Schema {
    rating: RatingRow;
    rating_response: RatingResponseRow;
    spent_proof: SpentProofRow;
    recorded_identity: RecordedIdentity;
  }
}

const storedContent = [
  ...(['protocol', 'relationship', 'operation', 'subject_version'] as const),
  ...(['latency_ms', 'tags', 'comment', 'evidence'] as const),
] as const;
const isStored = (name: string) => storedContent.some((one) => one === name);
/** The content of a rating that has no columns of its own. */
type StoredContent = Pick<RatingContent, (typeof storedContent)[number]>;

const day_ms = 86_400_000;
/** Two ratings within this time in both directions are a pair (docs/ratings.md). */
const pair_ms = 90 * day_ms;

const absent = {
  ...{ score: null, proof_commitment: null, proof_salt: null, supersedes: null, superseded_by: null },
  ...{ withdrawn_at: null, withdrawn_by: null, erased_at: null, voided_at: null, source_ended_at: null },
  ...{ subject_root: null, subject_root_generation: null },
} as const;

/** A rating as a row. */
export function encodeRating(rating: Rating): RatingRow {
  const { content = [], columns = [] } = Object.groupBy(Object.entries(rating), ([name]) =>
    isStored(name) ? 'content' : 'columns',
  );
  const { related, declared_interest, reciprocal, stated_overlap, praised_at, ...made } = Object.fromEntries(
    columns,
  ) as Omit<Rating, keyof StoredContent>;
  return {
    ...withNulls(made, absent),
    content: JSON.stringify(Object.fromEntries(content)),
    ...{ source: countedSource(rating.source_root), source_identity: rootIdentity(rating.source_root) },
    pair_until: new Date(Date.parse(praised_at ?? rating.first_created_at) + pair_ms).toISOString(),
    related: related ? 1 : 0,
    declared_interest: declared_interest ? 1 : 0,
    reciprocal: reciprocal ? 1 : 0,
    stated_overlap: stated_overlap ? JSON.stringify(stated_overlap) : null,
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
export function decodeRating(stored: RatingRow): Rating {
  const { content: _, source: _counted, source_identity: _held, pair_until: _until, ...row } = stored;
  const { is_current: _current, stated_overlap: _overlap, ...columns } = withoutNulls(row);
  return { ...decodeContent(stored), ...columns, ...decodeBasis(stored) };
}

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
