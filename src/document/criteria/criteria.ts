import { readPriceLimit } from '../../observations/prices/assets.ts';
import { ofChecks } from '../recorded-facts.ts';
import type { ComparedListing, Criterion, CriterionFinding, CriterionValue } from './criterion.ts';
import { endpointCriteria, packageCriteria, priceCriteria, unchangedCriteria } from './observed.ts';
import { nativeCriteria, recordedCriteria, signalCriteria } from './recorded.ts';

export const criteria = {
  ...recordedCriteria,
  ...signalCriteria,
  ...endpointCriteria,
  ...priceCriteria,
  ...unchangedCriteria,
  ...packageCriteria,
  ...nativeCriteria,
};

export type CriterionName = keyof typeof criteria;

export const criterionNames = Object.keys(criteria) as [CriterionName, ...CriterionName[]];

export const isCriterionName = (name: string): name is CriterionName => Object.hasOwn(criteria, name);

export interface RequestedCriterion {
  readonly criterion: CriterionName;
  readonly value?: CriterionValue;
}

export interface CriterionAnswer extends CriterionFinding {
  readonly criterion: CriterionName;
  readonly value?: string | number;
}

/** Returns undefined if the criterion accepts the value. */
export function findValueError({ criterion, value }: RequestedCriterion): string | undefined {
  const { takes } = criteria[criterion];
  if (takes.kind === 'nothing') return value === undefined ? undefined : `${criterion} takes no value`;
  if (takes.kind === 'number') {
    const isWhole = Number.isInteger(value) && Number(value) >= 1 && Number(value) <= takes.max;
    return isWhole ? undefined : `${criterion} takes a whole number from 1 to ${takes.max}`;
  }
  if (takes.kind === 'tag')
    return typeof value === 'string' && /^[a-z0-9][a-z0-9.-]{0,39}$/.test(value)
      ? undefined
      : `${criterion} takes a tag; see list_tags`;
  if (takes.kind === 'price')
    return typeof value === 'string' && readPriceLimit(value)
      ? undefined
      : `${criterion} takes a price such as "0.01 USDC", or a whole number and a CAIP-19 asset`;
  const isOne = typeof value === 'string' && takes.of.includes(value);
  return isOne ? undefined : `${criterion} takes one of ${takes.of.join(', ')}`;
}

export const criterionText = ({ criterion, value }: RequestedCriterion): string =>
  criteria[criterion].label.replace('(s)', value === 1 ? '' : 's').replace('{}', () => String(value ?? ''));

function answer(compared: ComparedListing, { criterion, value }: RequestedCriterion): CriterionAnswer {
  return { criterion, ...(value !== undefined && { value }), ...criteria[criterion].judge(compared, value) };
}

/** A criterion about the record may be answered by what a check found. */
const evidenceOf = ({ criterion, source }: CriterionAnswer): Criterion['evidence'] =>
  source === 'Dossier' || source === ofChecks ? 'observed' : criteria[criterion].evidence;

/** Returns the answers by kind of evidence, without a total. */
export function compareListing(
  compared: ComparedListing,
  requested: readonly RequestedCriterion[],
): {
  readonly imported: CriterionAnswer[];
  readonly observed: CriterionAnswer[];
  readonly native: CriterionAnswer[];
} {
  const all = requested.map((one) => answer(compared, one));
  const of = (evidence: Criterion['evidence']) => all.filter((one) => evidenceOf(one) === evidence);
  return { imported: of('imported'), observed: of('observed'), native: of('native') };
}

/** The criteria of a comparison that names none. */
export const defaultCriteria: readonly RequestedCriterion[] = [
  { criterion: 'active' },
  { criterion: 'endpoint_at_domain' },
  { criterion: 'nothing_shared' },
  { criterion: 'needs_no_secret' },
  { criterion: 'endpoint_observed_alive' },
  { criterion: 'price_known' },
  { criterion: 'tools_unchanged_for', value: 30 },
  { criterion: 'claimed' },
  { criterion: 'native_ratings_at_least', value: 1 },
];
