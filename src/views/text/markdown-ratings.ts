import type { ListingDocument } from '../../evidence/listing/listing-document.ts';
import type { ModerationNotice } from '../../evidence/moderation/moderation.ts';
import { groupTexts, shownGroups } from '../../evidence/rating/groups.ts';
import { proofTexts } from '../../evidence/rating/proof/proof-classes.ts';
import type { RatingCounts, ShortRating } from '../../evidence/rating/rating.ts';
import { day, lines, list, paragraphs, toInlineText, toQuote } from '../../evidence/text/markdown-text.ts';
import { counted } from '../../evidence/text/plural.ts';
import { countsText, proofSentences, proofsText, scoresText } from '../layout/labels.ts';

function groupLine(name: string, counts: RatingCounts) {
  const { ratings, sources, source_handles, source_outcomes, outcomes, scores, by_proof, last_at } = counts;
  if (!last_at) return `* ${name}: none`;
  const from = `${counted(sources, 'source')}, ${counted(ratings, 'rating')} from ${counted(source_handles, 'listing')}`;
  return `* ${name}: ${from}; newest of each source: ${countsText(source_outcomes)}; outcomes: ${countsText(outcomes)}; scores: ${scoresText(scores)}; proof: ${proofsText(by_proof)}; last ${day(last_at)}`;
}

function toStanding({ outcome, withdrawn_at, erased_at, voided_at }: ShortRating): string {
  if (erased_at) return `erased by the operator ${day(erased_at)}`;
  if (voided_at) return `${outcome}, voided by the operator ${day(voided_at)}, not counted`;
  return withdrawn_at ? `withdrawn ${day(withdrawn_at)}` : outcome;
}

function ratingLine(record: ShortRating): string {
  const { source_handle, created_at, withdrawn_at, group } = record;
  const from = `${toInlineText(source_handle)}${withdrawn_at ? '' : ` (${groupTexts[group].name.toLowerCase()})`}`;
  return `${toStanding(record)} from ${from}, ${day(created_at)}`;
}

const ratingFacts = ({ score, relationship, interaction_at, source_root, flags, ...rest }: ShortRating) =>
  [
    score !== undefined && `score of this source ${score}`,
    `relation ${relationship}`,
    `interaction ${day(interaction_at)}`,
    `source account ${toInlineText(source_root)}`,
    !rest.withdrawn_at && proofTexts[rest.proof_class].name.toLowerCase(),
    flags.length > 0 && `flags ${toInlineText(flags.join(', '))}`,
    !rest.withdrawn_at && toInlineText(rest.group_reason.replace(/\.$/, '')),
    !rest.withdrawn_at &&
      rest.overlap_stated_later !== undefined &&
      toInlineText(rest.overlap_stated_later.replace(/\.$/, '')),
    `log index ${rest.log_index}`,
  ]
    .filter((part) => part !== false)
    .join('; ');

const notice = ({ statement, log_index }: ModerationNotice) =>
  `  * ${toInlineText(statement)} Log index ${log_index}.`;

const rating = (record: ShortRating) =>
  lines(
    `${ratingLine(record)}; ${ratingFacts(record)}`,
    ...(record.moderation ?? []).map(notice),
    ...(record.response?.moderation ?? []).map(notice),
    record.comment !== undefined && `  * The source writes: ${toQuote(record.comment)}`,
    record.response &&
      `  * Response of the rated listing, ${day(record.response.created_at)}, log index ${record.response.log_index}: ${record.response.erased_at ? `erased by the operator ${day(record.response.erased_at)}` : record.response.hidden_at ? `hidden by the operator ${day(record.response.hidden_at)}` : toQuote(record.response.text)}`,
  );

function native({ signals, evidence_snapshot_date, links }: ListingDocument): string {
  const { recent, ratings, statement } = signals.native;
  const groups = shownGroups(signals.native);
  const any = ratings > 0 || recent.length > 0;
  return paragraphs(
    statement,
    `Source: ratings made on this service by claimed listings. As of ${day(evidence_snapshot_date)}.`,
    any && lines(...groups.map((group) => groupLine(groupTexts[group].name, signals.native[group]))),
    any && list(proofSentences(signals.native.proof_meanings), toInlineText),
    recent.length > 0 && list(recent, rating),
    any && `All records of native ratings, with what was amended and withdrawn: <${links.page}/ratings>`,
  );
}

/** Native ratings, in a chapter of their own. */
export const markdownRatings = (listing: ListingDocument): string =>
  paragraphs('## Native ratings', native(listing));
