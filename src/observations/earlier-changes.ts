import { isDeepStrictEqual } from 'node:util';
import { own } from '../core/words.ts';
import { kindOf } from './kinds.ts';
import type { EarlierChange, Observation } from './observation.ts';

/** The most changes of one fact that are kept, and the most of one weight; the history has all. */
const mostKept = 6;
const mostOfWeight = 3;

/** The part of a fact from which its changes are read. */
type ChangedObservation = Pick<Observation, 'value' | 'value_digest' | 'changed_from'> & {
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly first_seen_at?: string | undefined;
  readonly earlier_changes?: readonly EarlierChange[] | undefined;
};

/** Tells whether a change has a sentence; only such changes are kept. */
const isSaid = (kind: string, { value, changed_from: from, ...more }: EarlierChange) =>
  (from.value !== null || from.outcome === 'nothing') &&
  kindOf(kind)?.sayChange?.({ ...from, value: from.value }, { ...more, value }, own('')) !== undefined;

const weightOf = (kind: string, { value, changed_from, ...more }: EarlierChange) =>
  kindOf(kind)?.weighChange?.(changed_from, { ...more, value }) ?? 0;

const isSameChange = (a: EarlierChange, b: EarlierChange) =>
  isDeepStrictEqual([a.changed_from.value, a.value], [b.changed_from.value, b.value]);

/**
 * The last change of a fact that has a value. Of its details only the numbers are kept, such as the length of
 * a list.
 */
function lastChange(fact: ChangedObservation): EarlierChange | undefined {
  const { value, value_digest, details = {}, changed_from, first_seen_at } = fact;
  if (!changed_from || value === null || first_seen_at === undefined) return undefined;
  const counts = Object.entries(details).filter(([, one]) => typeof one === 'number');
  return {
    value,
    first_seen_at,
    changed_from,
    ...(value_digest && { value_digest }),
    ...(counts.length > 0 && { details: Object.fromEntries(counts) }),
  };
}

/**
 * The changes of a fact that are kept: the weightiest first, the last change at the end. None weighs less
 * than a later one, so that the weightiest change since any day is among them.
 */
export function weightyChanges(kind: string, fact: ChangedObservation): EarlierChange[] {
  const earlier = fact.earlier_changes ?? [];
  const last = lastChange(fact);
  if (!last || !isSaid(kind, last)) return [...earlier];
  if (!kindOf(kind)?.weighChange) return [last];
  const weight = weightOf(kind, last);
  const others = earlier
    .filter((one) => !isSameChange(one, last))
    .map((change) => ({ change, weight: weightOf(kind, change) }));
  const heavier = others.filter((one) => one.weight > weight);
  const equal = others.filter((one) => one.weight === weight).slice(1 - mostOfWeight);
  return [...[...heavier, ...equal].slice(0, mostKept - 1).map(({ change }) => change), last];
}
