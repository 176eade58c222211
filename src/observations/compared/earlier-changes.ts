import { isDeepStrictEqual } from 'node:util';
import { own } from '../../core/words.ts';
import { kindOf } from '../kinds.ts';
import type { EarlierChange, Observation } from '../observation.ts';

/** The most changes of one fact that are kept, and the most of them that have the same weight. */
const mostKept = 6;
const mostOfWeight = 3;

type ChangedObservation = Pick<Observation, 'value' | 'value_digest' | 'changed_from' | 'is_part'> & {
  readonly hasMore?: true | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly first_seen_at?: string | undefined;
  readonly earlier_changes?: readonly EarlierChange[] | undefined;
};

/** Only changes for which there is a sentence are kept. */
const isSaid = (kind: string, { value, changed_from: from, ...more }: EarlierChange) =>
  (from.value !== null || from.outcome === 'nothing') &&
  kindOf(kind)?.sayChange?.({ ...from, value: from.value }, { ...more, value }, own('')) !== undefined;

const weightOf = (kind: string, { value, changed_from, ...more }: EarlierChange) =>
  kindOf(kind)?.weighChange?.(changed_from, { ...more, value }) ?? 0;

const isSameChange = (a: EarlierChange, b: EarlierChange) =>
  isDeepStrictEqual([a.changed_from.value, a.value], [b.changed_from.value, b.value]);

/** Of the details, only numbers are kept, such as the length of a list. */
function lastChange(fact: ChangedObservation): EarlierChange | undefined {
  const { value, value_digest, details = {}, changed_from, first_seen_at, is_part, hasMore } = fact;
  if (!changed_from || value === null || first_seen_at === undefined) return undefined;
  const counts = Object.entries(details).filter(([, one]) => typeof one === 'number');
  return {
    value,
    first_seen_at,
    changed_from,
    ...(value_digest && { value_digest }),
    ...((is_part || hasMore) && { is_part: true }),
    ...(counts.length > 0 && { details: Object.fromEntries(counts) }),
  };
}

/**
 * If there is a sentence for the last change, this change is at the end, and earlier changes are kept only if
 * they weigh at least as much.
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
