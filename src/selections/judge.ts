import type { Selection } from '../config/files.ts';
import { toText } from '../core/words.ts';
import {
  type CriterionAnswer,
  type CriterionName,
  findValueError,
  isCriterionName,
  judge,
  type RequestedCriterion,
} from '../document/criteria/criteria.ts';
import {
  type ApprovalAnswer,
  type ComparedListing,
  judgeApproval,
  judgeReports,
  keepsOut,
} from './approvals.ts';

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

const toFileAnswer = (found: CriterionAnswer): CriterionAnswer =>
  answeredByFile.has(found.criterion) ? found : { ...found, result: 'not_applicable' };

/** It is in the selection unless something `failed`. */
export function judgeMember(selection: Selection, compared: ComparedListing, isPrivate = false) {
  const found = judge(compared.listing, requestedBy(selection), compared.now_ms);
  const judged = isPrivate ? found.map(toFileAnswer) : found;
  const answers: readonly ApprovalAnswer[] = [
    ...judgeReports(compared),
    ...judgeApproval(selection, compared),
  ];
  return {
    answers,
    judged,
    failed: [
      ...answers
        .filter((answer) => keepsOut(selection, answer))
        .map(({ criterion, result, from, to, fact }) => ({
          criterion,
          result,
          fact: toText(fact),
          ...(from && to && { from: toText(from), to: toText(to) }),
        })),
      ...judged.filter((answer) => keepsOut(selection, answer)),
    ],
  };
}
