import { type RawBuilder, sql } from 'kysely';
import {
  flag,
  integer,
  json,
  oneOf,
  optional,
  type RowOf,
  rowCodec,
  type TableValue,
  table,
  text,
} from '../store/table.ts';
import {
  groupOf,
  groupRules,
  leastPraise,
  type RatingFlag,
  type RatingGroup,
  ratingFlags,
  type StatedOverlap,
} from './groups.ts';
import { isCurrent, type RatingContent, type RatingRecord } from './rating.ts';
import { toPairUntil, toSource } from './rules.ts';

const storedContent = [
  ...(['protocol', 'relationship', 'operation', 'subject_version'] as const),
  ...(['latency_ms', 'tags', 'comment', 'evidence'] as const),
] as const;
type StoredContent = Pick<RatingContent, (typeof storedContent)[number]>;

const publicColumns = {
  id: text,
  subject_handle: text,
  source_handle: text,
  source_root: text,
  source_root_generation: integer,
  interaction_at: text,
  outcome: oneOf<RatingRecord['outcome']>(),
  score: optional(integer),
  created_at: text,
  proof_class: oneOf<RatingRecord['proof_class']>(),
  proof_commitment: optional(text),
  log_index: integer,
  supersedes: optional(text),
  superseded_by: optional(text),
  withdrawn_at: optional(text),
  erased_at: optional(text),
  voided_at: optional(text),
};
/** Public even if the rating is withdrawn or hidden. */
export const recordTable = rowCodec(publicColumns);

const basisColumns = {
  related: flag,
  declared_interest: flag,
  reciprocal: flag,
  stated_overlap: optional(json<StatedOverlap>()),
  source_ended_at: optional(text),
  new_until: text,
};
const basisTable = rowCodec(basisColumns);

export const ratingTable = table('rating', ['id'], {
  ...publicColumns,
  ...basisColumns,
  content: json<StoredContent>(),
  /** See `Submission`. */
  content_digest: text,
  interaction_id: text,
  source_capability_id: text,
  proof_salt: optional(text),
  first_created_at: text,
  /** Of the rated listing, if its claim was in force when this version was made. */
  subject_root: optional(text),
  subject_root_generation: optional(integer),
  withdrawn_by: optional(integer),
});

export type Rating = StoredContent &
  Omit<TableValue<typeof ratingTable>, 'content'> & {
    /** Only in `pair_until`. */
    readonly praised_at?: string | undefined;
  };

export type RatingRow = RowOf<typeof ratingTable> & {
  /**
   * The account or domain as which source_root is counted (`source`), and matched with others
   * (`source_identity`; core/identity.ts).
   */
  source: string;
  source_identity: string;
  /** See `toSpan`. */
  pair_until: string;
  /** 1 unless superseded, withdrawn or voided. */
  is_current: number;
};

/** The operator erased its text then. */
export const responseTable = table('rating_response', ['rating_id'], {
  rating_id: text,
  text,
  created_at: text,
  log_index: integer,
  erased_at: optional(text),
});

export function encodeRating(rating: Rating): RatingRow {
  const names: readonly string[] = storedContent;
  const content = Object.fromEntries(Object.entries(rating).filter(([name]) => names.includes(name)));
  return {
    ...ratingTable.encode({ ...rating, content: content as StoredContent }),
    ...toSource(rating.source_root),
    pair_until: toPairUntil(rating),
    is_current: isCurrent(rating) ? 1 : 0,
  };
}

export const decodeContent = ({ content }: RatingRow): StoredContent =>
  ratingTable.decode({ content }).content;

export const decodeGroup = (row: RatingRow, now: string) => groupOf(basisTable.decode(row), now);

/** With the texts of a withdrawn rating. */
export function decodeRating(row: RatingRow): Rating {
  const { content, ...columns } = ratingTable.decode(row);
  return { ...content, ...columns };
}

const tests = {
  true: (column: RawBuilder<unknown>) => sql<boolean>`${column} = 1`,
  present: (column: RawBuilder<unknown>) => sql<boolean>`${column} is not null`,
  until: (column: RawBuilder<unknown>, now: string) => sql<boolean>`${column} > ${now}`,
};

const holds = (flag: RatingFlag, now: string) =>
  tests[groupRules[flag].holds](sql.ref(`rating.${groupRules[flag].basis}`), now);

/** As `groupOf` does. */
export function groupCase(now: string): RawBuilder<RatingGroup> {
  const cases = ratingFlags.map((flag) => sql`when ${holds(flag, now)} then ${sql.lit(flag)}`);
  return sql<RatingGroup>`case ${sql.join(cases, sql` `)} else 'independent' end`;
}

export const countFlag = (flag: RatingFlag, now: string): RawBuilder<number> =>
  sql<number>`sum(case when ${holds(flag, now)} then 1 else 0 end)`;

/** As `isPraise` does. */
export const praises = sql<boolean>`(rating.outcome = 'succeeded' or coalesce(rating.score, 0) >= ${sql.lit(leastPraise)})`;
