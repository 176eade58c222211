import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/json.ts';
import type { PartComparison } from '../kind.ts';
import { kindOf } from '../kinds.ts';
import type { Finding, LastValue, StoredObservation } from '../observation.ts';

type ReadFact = Pick<Finding, 'value' | 'value_digest' | 'outcome' | 'details' | 'hasMore'> &
  Pick<StoredObservation, 'method_version'>;

/** Returns undefined if both values are whole, or if the two cannot be compared in part. */
export function comparedInPart(
  kind: string,
  before: StoredObservation | LastValue,
  now: ReadFact,
): PartComparison | undefined {
  const areValues = before.outcome === 'seen' && now.outcome === 'seen';
  const isPart = before.hasMore || now.hasMore;
  if (!areValues || !isPart || before.method_version !== now.method_version) return undefined;
  const { value, value_digest, outcome, details, observed_at: seen_until } = before;
  const was = {
    value,
    outcome,
    seen_until,
    ...(value_digest && { value_digest }),
    ...(details && { details }),
    ...(before.hasMore && { is_part: true as const }),
  };
  return kindOf(kind)?.comparePart?.(was, now.hasMore ? { ...now, is_part: true } : now);
}

/** Tells whether the two are or may be different parts, so that their difference is no change of the fact. */
export function isOtherPart(kind: string, before: StoredObservation | LastValue, now: ReadFact): boolean {
  const compared = comparedInPart(kind, before, now);
  return before.rule === 'part' || (compared !== undefined && compared !== 'differs');
}

/** Tells whether only a part was read and no value is in it, for a kind that is compared in part. */
export const isEmptyPart = ({
  kind,
  rule,
  value,
}: Pick<Finding, 'rule' | 'value'> & { readonly kind: string }): boolean =>
  rule === 'part' && value === null && kindOf(kind)?.comparePart !== undefined;

/** Tells whether a list that may lack members (`some`) only lacks members that were seen before. */
export function onlyLacks(
  { value: before }: Pick<Finding, 'value'>,
  { rule, value, value_digest }: Pick<Finding, 'rule' | 'value' | 'value_digest'>,
): boolean {
  if (rule !== 'some' || value_digest !== undefined || !Array.isArray(before) || !Array.isArray(value))
    return false;
  const isBefore = (one: Json) => before.some((other) => isDeepStrictEqual(other, one));
  return value.length < before.length && value.every(isBefore);
}

type Part = StoredObservation | LastValue;

/**
 * The time at which a value was last read as a whole, if the newest check read the same value but not
 * everything. Anything else that a later check reads is new since that time.
 */
export const wholeBefore = (
  kind: string,
  before: Part,
  { hasMore }: Pick<Finding, 'hasMore'>,
): Pick<Part, 'whole_at'> => {
  const { whole_at = before.hasMore ? undefined : before.observed_at } = before;
  return hasMore && whole_at !== undefined && kindOf(kind)?.comparePart ? { whole_at } : {};
};

/** A value as it was last read as a whole. A value without `whole_at` is returned as it is. */
export function asWhole<Of extends Part>(known: Of): Of {
  const { whole_at, hasMore: _, ...whole } = known;
  return whole_at === undefined ? known : ({ ...whole, observed_at: whole_at } as Of);
}
