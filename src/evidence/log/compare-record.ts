import { type Rating, type RatingRecord, ratingContent } from '../rating/rating.ts';
import { toCanonicalJson } from './leaf.ts';

/** The members of a rating that its log entry commits to; groups and flags are computed when the rating is read. */
const ratingFields = [
  ...Object.keys(ratingContent.shape),
  ...['id', 'subject_handle', 'source_handle', 'source_root', 'source_root_generation', 'created_at'],
  ...['proof_class', 'proof_commitment'],
];

/** Those that a withdrawn rating, or one whose texts are hidden, does not show. */
const textFields = [
  ...['interaction_id', 'operation', 'subject_version'],
  ...['latency_ms', 'tags', 'comment', 'evidence'],
];

/** The fields of a shown rating that must be as its log entry says. */
export const shownRatingFields = ({
  withdrawn_at,
  hidden_at,
}: Pick<RatingRecord, 'withdrawn_at' | 'hidden_at'>): readonly string[] =>
  withdrawn_at === undefined && hidden_at === undefined
    ? ratingFields
    : ratingFields.filter((field) => !textFields.includes(field));

const isSame = (a: unknown, b: unknown) => toCanonicalJson([a ?? null]) === toCanonicalJson([b ?? null]);

/** Names of the fields whose values differ; a field that is absent on one side differs from any value. */
export const differingFields = (
  committed: Readonly<Record<string, unknown>>,
  shown: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string[] => fields.filter((field) => !isSame(committed[field], shown[field]));

/** Names of the fields in which a rating differs from the record that its log entry commits to. */
export const differingRatingFields = (
  committed: Readonly<Record<string, unknown>>,
  rating: Rating,
): string[] => differingFields(committed, { ...rating }, ratingFields);
