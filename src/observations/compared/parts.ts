import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/json.ts';
import { own } from '../../core/words.ts';
import type { PartComparison } from '../kind.ts';
import { kindOf } from '../kinds.ts';
import {
  type Essence,
  essenceOf,
  type Finding,
  type LastValue,
  type StoredObservation,
} from '../observation.ts';
import { toValue } from '../shorten.ts';

type ReadFact = Pick<Finding, 'value' | 'value_digest' | 'outcome' | 'details' | 'hasMore'> &
  Pick<StoredObservation, 'method_version'>;

type Part = StoredObservation | LastValue;

const toBefore = (before: Part) => ({
  value: before.value,
  outcome: before.outcome,
  seen_until: before.observed_at,
  ...(before.value_digest && { value_digest: before.value_digest }),
  ...(before.details && { details: before.details }),
  ...(before.hasMore && { is_part: true as const }),
});

const toShown = (now: ReadFact) => (now.hasMore ? { ...now, is_part: true as const } : now);

/** Returns undefined if both values are whole, or if the two cannot be compared in part. */
export function comparedInPart(
  kind: string,
  before: StoredObservation | LastValue,
  now: ReadFact,
): PartComparison | undefined {
  const areValues = before.outcome === 'seen' && now.outcome === 'seen';
  const isPart = before.hasMore || now.hasMore;
  if (!areValues || !isPart || before.method_version !== now.method_version) return undefined;
  return kindOf(kind)?.comparePart?.(toBefore(before), toShown(now));
}

/** Tells whether the two may be different parts, so that their difference shows no change of the fact. */
export function isOtherPart(kind: string, before: Part, now: ReadFact): boolean {
  const isPart = before.hasMore || now.hasMore;
  return before.rule === 'part' || (isPart === true && !isDifferent(kind, allKnown(before), now));
}

/** Tells whether a part was read that has no value, for a kind whose values are compared in part. */
export const isEmptyPart = ({
  kind,
  rule,
  value,
}: Pick<Finding, 'rule' | 'value'> & { readonly kind: string }): boolean =>
  rule === 'part' && value === null && kindOf(kind)?.comparePart !== undefined;

/**
 * Tells whether a list that may be incomplete (`some`) is shorter than the earlier list and has nothing that
 * the earlier list does not have.
 */
export function onlyLacks(
  { value: before }: Pick<Finding, 'value'>,
  { rule, value, value_digest }: Pick<Finding, 'rule' | 'value' | 'value_digest'>,
): boolean {
  if (rule !== 'some' || value_digest !== undefined || !Array.isArray(before) || !Array.isArray(value))
    return false;
  const isBefore = (one: Json) => before.some((other) => isDeepStrictEqual(other, one));
  return value.length < before.length && value.every(isBefore);
}

/** All that is known of a value: the baseline beside a part, or else the newest reading. */
export function allKnown<Of extends Part>(known: Of): Of {
  const { baseline, value_digest: _, details: __, hasMore: ___, ...others } = known;
  return baseline ? ({ ...others, ...baseline } as Of) : known;
}

type FoundValue = Pick<Finding, 'value' | 'value_digest'>;

const isSameValue = (a: FoundValue, b: FoundValue) =>
  isDeepStrictEqual([a.value, a.value_digest], [b.value, b.value_digest]);

/** Tells whether a value that was read as a whole differs from the baseline. */
const lacksKnown = (before: Part, now: ReadFact): boolean =>
  now.outcome === 'seen' &&
  !now.hasMore &&
  before.baseline !== undefined &&
  !isSameValue(before.baseline, now);

export const isEqual = (a: Essence, b: Essence) => isDeepStrictEqual(essenceOf(a), essenceOf(b));

export const isOther = (before: Part, now: ReadFact) => !isEqual(before, now) || lacksKnown(before, now);

const isDifferent = (kind: string, before: Part, now: ReadFact) =>
  (comparedInPart(kind, before, now) ?? (isSameValue(before, now) ? 'same' : 'differs')) === 'differs';

/**
 * Tells whether a value is compared with the last value. After `nothing`, a part in which nothing differs
 * from the last value is compared with `nothing`.
 */
export const isOfLast = (
  last: Part,
  { outcome }: StoredObservation,
  now: ReadFact & { readonly kind: string },
) => isOther(last, now) && !(outcome === 'nothing' && isOtherPart(now.kind, last, now));

/**
 * The state before a change: all that was known. If the newest reading gives the same words, it is the state
 * before, because its date is nearer.
 */
export function tellsFrom<Of extends Part>(kind: string, known: Of, now: ReadFact): Of {
  const all = allKnown(known);
  if (all === known || isSameValue(all, now)) return all;
  const words = (before: Part) => kindOf(kind)?.sayChange?.(toBefore(before), toShown(now), own(''));
  const isNearer =
    isDifferent(kind, known, now) === isDifferent(kind, all, now) &&
    isDeepStrictEqual(words(known), words(all));
  return isNearer ? known : all;
}

/**
 * Keeps a baseline beside a part: the part, and what was known before and the part does not contradict.
 * Otherwise a change of one offer would hide a later change of an offer that the part lacks.
 */
export function keepBaseline(known: StoredObservation, now: StoredObservation): StoredObservation {
  const last = known.outcome === 'seen' ? known : known.last;
  if (now.outcome !== 'seen') return now;
  const { baseline: _, ...part } = now;
  if (!now.hasMore || last?.outcome !== 'seen' || last.method_version !== now.method_version) return part;
  const { value, value_digest, details, hasMore, observed_at } = allKnown(last);
  const all = { value, ...(value_digest && { value_digest }), ...(details && { details }) };
  const joined = kindOf(now.kind)?.joinPart?.(toBefore(allKnown(last)), toShown(now));
  const both = isSameValue(all, now) ? all : joined && { ...joined, ...toValue(joined.value) };
  if (!both || !kindOf(now.kind)?.comparePart || (hasMore && isSameValue(both, now))) return part;
  return { ...part, baseline: { ...both, ...(hasMore && { hasMore }), observed_at } };
}
