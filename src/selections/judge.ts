import type { Selection } from '../config/files.ts';
import { ours, say, toText } from '../core/words.ts';
import {
  type Answer,
  type CriterionName,
  compareListing,
  criterionText,
  findValueError,
  isCriterionName,
  type RequestedCriterion,
} from '../document/criteria/criteria.ts';
import { type ComparedListing, notApplicable, recordedFinding } from '../document/criteria/criterion.ts';
import { type ApprovalAnswer, judgeApproval, keepsOut } from './approvals.ts';

const isKnown = (sent: Selection['criteria'][number]): sent is RequestedCriterion =>
  isCriterionName(sent.criterion);

/**
 * The criteria of a selection whose names are of the vocabulary: all of them, once `findCriterionFaults`
 * found nothing.
 */
export const requestedBy = (selection: Selection): RequestedCriterion[] => selection.criteria.filter(isKnown);

/** What is wrong with the criteria of selections: unknown ones, and values that are not allowed. */
export const findCriterionFaults = (selections: readonly Selection[]): string[] =>
  selections.flatMap(({ name, file, criteria: sent }) =>
    sent.flatMap((one) => {
      const fault = isKnown(one) ? findValueError(one) : `there is no criterion ${one.criterion}`;
      return fault ? [`${file}: ${name}: ${fault}`] : [];
    }),
  );

/** Criteria that a server.json answers alone: of a private entry nothing else is known. */
const answeredByFile: ReadonlySet<string> = new Set<CriterionName>([
  ...(['has_endpoint', 'has_repository', 'needs_no_secret', 'transport', 'package', 'tag'] as const),
  ...(['namespace_matches_repository_owner', 'endpoint_at_domain'] as const),
]);

function toFileAnswer(compared: ComparedListing, found: Answer): Answer {
  const { criterion, value } = found;
  if (answeredByFile.has(criterion)) return found;
  const label = ours(criterionText({ criterion, value }));
  const fact = say`${label}: does not apply; of a private entry only its file is known.`;
  return { criterion, value, ...recordedFinding(compared, notApplicable(fact)) };
}

/**
 * Judges a listing or a private entry by a selection: which fact answered which criterion on which date, and
 * the criteria that keep it out; it is in the selection if there are none.
 */
export function judgeMember(selection: Selection, compared: ComparedListing, isPrivate = false) {
  const { imported, observed, native } = compareListing(compared, requestedBy(selection));
  const found = [...imported, ...observed, ...native];
  const answers: ApprovalAnswer[] = [
    ...judgeApproval(selection, compared),
    ...(isPrivate ? found.map((one) => toFileAnswer(compared, one)) : found),
  ];
  const failed = answers.filter((answer) => keepsOut(selection, answer));
  return {
    answers,
    failed: failed.map(({ criterion, value, result, from, to, fact }) => ({
      criterion,
      ...(value !== undefined && { value }),
      result,
      // Criteria of compare_agents say enough by their names.
      ...(!isCriterionName(criterion) && { fact: toText(fact) }),
      ...(from && to && { from: toText(from), to: toText(to) }),
    })),
  };
}
