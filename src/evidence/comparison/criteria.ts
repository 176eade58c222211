import { readPriceLimit } from '../kinds/price/price-limit.ts';
import { endpointCriteria } from './criteria-endpoint.ts';
import { nativeCriteria } from './criteria-native.ts';
import { packageCriteria } from './criteria-packages.ts';
import { priceCriteria } from './criteria-price.ts';
import { recordedCriteria } from './criteria-recorded.ts';
import { signalCriteria } from './criteria-signals.ts';
import { unchangedCriteria } from './criteria-unchanged.ts';
import type { ComparedListing, Criterion, CriterionValue, Finding } from './criterion.ts';

/** The closed vocabulary of compare_agents: each follows from facts that a listing document shows. */
export const criteria = {
  ...recordedCriteria,
  ...signalCriteria,
  ...endpointCriteria,
  ...priceCriteria,
  ...unchangedCriteria,
  ...packageCriteria,
  ...nativeCriteria,
};

/** The name of a criterion. */
export type CriterionName = keyof typeof criteria;

/** The names of the vocabulary, in its order. */
export const criterionNames = Object.keys(criteria) as [CriterionName, ...CriterionName[]];

/** A criterion as a caller requests it. */
export interface RequestedCriterion {
  readonly criterion: CriterionName;
  readonly value?: CriterionValue;
}

/** A finding with the requested criterion. */
export interface Answer extends Finding {
  readonly criterion: CriterionName;
  readonly value?: string | number;
}

/** The findings about one listing; imported evidence, own checks and claims and ratings are kept apart. */
export interface Comparison {
  readonly imported: Answer[];
  readonly observed: Answer[];
  readonly native: Answer[];
}

const tagForm = /^[a-z0-9][a-z0-9.-]{0,39}$/;
const isWhole = (value: CriterionValue, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max;

/** Why the value of a criterion is not allowed; undefined if it is. */
export function findValueError({ criterion, value }: RequestedCriterion): string | undefined {
  const { takes } = criteria[criterion];
  if (takes.kind === 'nothing') return value === undefined ? undefined : `${criterion} takes no value`;
  if (takes.kind === 'number')
    return isWhole(value, takes.max) ? undefined : `${criterion} takes a whole number from 1 to ${takes.max}`;
  if (takes.kind === 'tag')
    return typeof value === 'string' && tagForm.test(value)
      ? undefined
      : `${criterion} takes a tag; see list_tags`;
  if (takes.kind === 'price')
    return typeof value === 'string' && readPriceLimit(value)
      ? undefined
      : `${criterion} takes a price such as "0.01 USDC", or a whole number and a CAIP-19 asset`;
  const isOne = typeof value === 'string' && takes.of.includes(value);
  return isOne ? undefined : `${criterion} takes one of ${takes.of.join(', ')}`;
}

/** The label of a criterion with its value filled in. */
export const criterionText = ({ criterion, value }: RequestedCriterion): string =>
  criteria[criterion].label.replace('(s)', value === 1 ? '' : 's').replace('{}', () => String(value ?? ''));

function answer(compared: ComparedListing, { criterion, value }: RequestedCriterion): Answer {
  return { criterion, ...(value !== undefined && { value }), ...criteria[criterion].judge(compared, value) };
}

/** Judges one listing by each requested criterion, in their order. Nothing is added up. */
export function compareListing(
  compared: ComparedListing,
  requested: readonly RequestedCriterion[],
): Comparison {
  const of = (evidence: Criterion['evidence']) =>
    requested
      .filter(({ criterion }) => criteria[criterion].evidence === evidence)
      .map((one) => answer(compared, one));
  return { imported: of('imported'), observed: of('observed'), native: of('native') };
}
