import { nativeCriteria } from './criteria-native.ts';
import { recordedCriteria } from './criteria-recorded.ts';
import { signalCriteria } from './criteria-signals.ts';
import type { ComparedListing, Criterion, CriterionValue, Finding } from './criterion.ts';

/** The closed vocabulary of compare_agents: each follows from facts that a listing document shows. */
export const criteria = { ...recordedCriteria, ...signalCriteria, ...nativeCriteria };

/** The name of a criterion. */
export type CriterionName = keyof typeof criteria;

/** The names of the vocabulary, in its order. */
export const criterionNames = Object.keys(criteria) as [CriterionName, ...CriterionName[]];

/** A criterion as a caller asks for it. */
export interface AskedCriterion {
  readonly criterion: CriterionName;
  readonly value?: CriterionValue;
}

/** A finding with what was asked. */
export interface Answer extends Finding {
  readonly criterion: CriterionName;
  readonly value?: string | number;
}

/** What was found out about one listing, imported evidence apart from what was shown and said on this service. */
export interface Comparison {
  readonly imported: Answer[];
  readonly native: Answer[];
}

const tagForm = /^[a-z0-9][a-z0-9.-]{0,39}$/;
const isWhole = (value: CriterionValue, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;

/** What is wrong with the value of a criterion; undefined where nothing is. */
export function wrongValue({ criterion, value }: AskedCriterion): string | undefined {
  const { takes } = criteria[criterion];
  if (takes.kind === 'nothing') return value === undefined ? undefined : `${criterion} takes no value`;
  if (takes.kind === 'number')
    return isWhole(value, takes.max) ? undefined : `${criterion} takes a whole number from 1 to ${takes.max}`;
  if (takes.kind === 'tag')
    return typeof value === 'string' && tagForm.test(value)
      ? undefined
      : `${criterion} takes a tag; see list_tags`;
  const isOne = typeof value === 'string' && takes.of.includes(value);
  return isOne ? undefined : `${criterion} takes one of ${takes.of.join(', ')}`;
}

/** A criterion in words, its value in place. */
export const criterionText = ({ criterion, value }: AskedCriterion): string =>
  criteria[criterion].label.replace('(s)', value === 1 ? '' : 's').replace('{}', () => String(value ?? ''));

function answer(compared: ComparedListing, { criterion, value }: AskedCriterion): Answer {
  const asked = { criterion, ...(value !== undefined && { value }) };
  return { ...asked, ...criteria[criterion].judge(compared, value) };
}

/** Answers every criterion about one listing, in the order asked. Nothing is added up. */
export function compareListing(compared: ComparedListing, asked: readonly AskedCriterion[]): Comparison {
  const of = (evidence: Criterion['evidence']) =>
    asked
      .filter(({ criterion }) => criteria[criterion].evidence === evidence)
      .map((one) => answer(compared, one));
  return { imported: of('imported'), native: of('native') };
}
