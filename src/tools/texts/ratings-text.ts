import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import type { MonthCount } from '../../evidence/rating/month-counts.ts';
import type { RatingRecord } from '../../evidence/rating/rating.ts';
import type { RatingFacets } from '../../evidence/rating/rating-facets.ts';
import { code, list, paragraphs, toInlineText, toQuote } from '../../evidence/text/markdown-text.ts';
import { closingText } from './shared.ts';

/** The answer of list_ratings. */
interface ListedRatings {
  readonly handle: string;
  readonly sample?: true | undefined;
  readonly statement: string;
  readonly ratings: readonly RatingRecord[];
  readonly proof_meanings: Readonly<Record<string, string>>;
  readonly counts?: RatingFacets | undefined;
  readonly months?: readonly MonthCount[] | undefined;
  readonly next_cursor?: string | undefined;
  readonly appeal?: string | undefined;
  readonly untrusted_fields: readonly string[];
}

const present = (...parts: readonly (string | false | undefined)[]) => parts.filter(Boolean).join('; ');

const saidLine = ({ outcome, score, source_handle, source_root, ...rating }: RatingRecord) =>
  `${outcome}${score === undefined ? '' : `, score ${score}`}, from ${code(source_handle)} (${code(source_root)}, generation ${rating.source_root_generation}; ${rating.relationship}), made ${rating.created_at}${rating.comment ? `: ${toQuote(rating.comment)}` : ''}`;

/** The group; its reason is a number that the foot of the text explains. */
const groupText = ({ group, group_reason, flags, overlap_stated_later }: RatingRecord, reasons: string[]) =>
  present(
    `${group} [${reasons.indexOf(group_reason) + 1}]`,
    flags.length > 1 && `all that fit ${flags.join(', ')}`,
    overlap_stated_later && toInlineText(overlap_stated_later),
  );

const interactionLine = (rating: RatingRecord) =>
  present(
    `interaction ${rating.interaction_id === undefined ? '' : `${code(rating.interaction_id)} `}at ${rating.interaction_at}, ${rating.protocol}`,
    rating.operation && `operation ${toQuote(rating.operation)}`,
    rating.subject_version && `version ${toQuote(rating.subject_version)}`,
    rating.latency_ms !== undefined && `${rating.latency_ms} ms`,
    rating.tags && `tags ${toQuote(rating.tags.join(', '))}`,
    rating.evidence &&
      `evidence ${rating.evidence.map(({ kind, value }) => `${kind} ${toQuote(value)}`).join(', ')}`,
    rating.proof_class !== 'none' && `proof ${rating.proof_class}`,
    rating.proof_commitment && `commitment ${rating.proof_commitment}`,
    `rating_id ${rating.rating_id}`,
    `log index ${rating.log_index}`,
  );

const lifeLine = ({ supersedes, superseded_by, ...ended }: RatingRecord) =>
  present(
    supersedes && `supersedes ${supersedes}`,
    superseded_by && `superseded by ${superseded_by}, not counted`,
    ended.withdrawn_at && `withdrawn ${ended.withdrawn_at}, not counted`,
    ended.voided_at && `voided by the operator ${ended.voided_at}, not counted`,
    ended.erased_at && `texts erased by the operator ${ended.erased_at}`,
    ended.hidden_at && `texts hidden by the operator ${ended.hidden_at}`,
  );

const noticeLine = ({ action, reason, statement, at, log_index }: ModerationNotice) =>
  `${statement} (${action}, ${reason}, ${at}, log index ${log_index})`;

const responseLine = ({ text, created_at, log_index, ...ended }: NonNullable<RatingRecord['response']>) =>
  present(
    `Response of the rated listing, ${created_at}, log index ${log_index}${text ? `: ${toQuote(text)}` : ''}`,
    ended.erased_at && `erased by the operator ${ended.erased_at}`,
    ended.hidden_at && `hidden by the operator ${ended.hidden_at}`,
  );

const ratingLines = (rating: RatingRecord, reasons: string[]) =>
  [
    saidLine(rating),
    present(groupText(rating, reasons), interactionLine(rating)),
    lifeLine(rating),
    ...(rating.moderation ?? []).map(noticeLine),
    rating.response && responseLine(rating.response),
    ...(rating.response?.moderation ?? []).map(noticeLine),
  ]
    .filter(Boolean)
    .join('\n  ');

const monthText = ({ month, outcome, group, ratings }: MonthCount) =>
  `${month} ${outcome} ${group} ${ratings}`;

const valuesText = (values: Readonly<Record<string, number>>) =>
  Object.entries(values)
    .map(([value, ratings]) => `${value} ${ratings}`)
    .join(', ') || 'none';

/** Every value of every filter with its count. */
const facetsText = ({ outcome, group, proof_class }: RatingFacets) =>
  `outcome ${valuesText(outcome)}; group ${valuesText(group)}; proof ${valuesText(proof_class)}`;

/** The answer of list_ratings as Markdown, with every reason of a group given once. */
export function toRatingsText(answer: ListedRatings): string {
  const { handle, sample, statement, ratings, proof_meanings, counts, months = [] } = answer;
  const proofs = Object.entries(proof_meanings).map(([name, shows]) => `${name}: ${shows}`);
  const reasons = [...new Set(ratings.map(({ group_reason }) => group_reason))];
  return paragraphs(
    `${code(handle)}${sample ? ' (shipped sample)' : ''}: ${statement}`,
    ratings.length > 0 && list(ratings, (rating) => ratingLines(rating, reasons)),
    reasons.length > 0 &&
      `Groups: ${reasons.map((reason, at) => `[${at + 1}] ${toInlineText(reason)}`).join(' ')}`,
    proofs.length > 0 && `Proof, none unless said: ${proofs.join(' ')}`,
    counts && `Counted under the other filters: ${facetsText(counts)}`,
    months.length > 0 && `Counted by month: ${months.map(monthText).join('; ')}`,
    answer.appeal && toInlineText(answer.appeal),
    closingText(answer),
  );
}
