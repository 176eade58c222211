import type { Selection } from '../config/files.ts';
import { ours, say, toText } from '../core/words.ts';
import {
  type CriterionAnswer,
  type CriterionName,
  compareListing,
  criterionText,
  findValueError,
  isCriterionName,
  type RequestedCriterion,
} from '../document/criteria/criteria.ts';
import { type ComparedListing, notApplicable, recordedFinding } from '../document/criteria/criterion.ts';
import { type ApprovalAnswer, judgeApproval, judgeReports, keepsOut } from './approvals.ts';

const isKnownCriterion = (sent: Selection['criteria'][number]): sent is RequestedCriterion =>
  isCriterionName(sent.criterion);

/** All, unless `findCriterionFaults` found something. */
export const requestedBy = (selection: Selection): RequestedCriterion[] =>
  selection.criteria.filter(isKnownCriterion);

/** Unknown names and forbidden values. */
export const findCriterionFaults = (selections: readonly Selection[]): string[] =>
  selections.flatMap(({ name, file, criteria: sent }) =>
    sent.flatMap((one) => {
      const fault = isKnownCriterion(one) ? findValueError(one) : `there is no criterion ${one.criterion}`;
      return fault ? [`${file}: ${name}: ${fault}`] : [];
    }),
  );

/** From the file alone, which is all that is known of a private entry. */
const answeredByFile: ReadonlySet<string> = new Set<CriterionName>([
  ...(['has_endpoint', 'has_repository', 'needs_no_secret', 'transport', 'package', 'tag'] as const),
  ...(['namespace_matches_repository_owner', 'endpoint_at_domain'] as const),
]);

function toFileAnswer(compared: ComparedListing, found: CriterionAnswer): CriterionAnswer {
  const { criterion, value } = found;
  if (answeredByFile.has(criterion)) return found;
  const label = ours(criterionText({ criterion, value }));
  const fact = say`${label}: does not apply; only the file of a private entry is known.`;
  return { criterion, value, ...recordedFinding(compared, notApplicable(fact)) };
}

/** It is in the selection unless something `failed`. */
export function judgeMember(selection: Selection, compared: ComparedListing, isPrivate = false) {
  const { imported, observed, native } = compareListing(compared, requestedBy(selection));
  const found = [...imported, ...observed, ...native];
  const answers: ApprovalAnswer[] = [
    ...judgeReports(compared),
    ...judgeApproval(selection, compared),
    ...(isPrivate ? found.map((one) => toFileAnswer(compared, one)) : found),
  ];
  const failed = answers.filter((answer) => keepsOut(selection, answer));
  return {
    answers,
    failed: failed.map(({ criterion, value, result, from, to, fact }) => ({
      criterion,
      value,
      result,
      // The name of a criterion says enough.
      ...(!isCriterionName(criterion) && { fact: toText(fact) }),
      ...(from && to && { from: toText(from), to: toText(to) }),
    })),
  };
}
