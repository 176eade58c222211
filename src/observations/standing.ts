import { own } from '../core/words.ts';
import { surfaces } from './endpoint/surface.ts';
import { endpointAnswers } from './kinds/endpoint.ts';
import { kindOf, surfaceOf } from './kinds.ts';
import type { EarlierChange, Observation, StoredObservation } from './observation.ts';
import { isUnanswered } from './outcome.ts';
import {
  alternatesSince,
  changes,
  isSame,
  type Span,
  type State,
  type StateChange,
  type StateRules,
  standing,
  type Timeline,
} from './timeline/timeline.ts';

/** The most changes of one fact that are told beside the last one, and the most with the same weight. */
const mostEarlier = 5;
const mostOfWeight = 2;

export const rulesOf = ({ kind }: Pick<Timeline, 'kind'>): StateRules => ({
  reach: kind === endpointAnswers.kind,
});

type ChangedFrom = NonNullable<Observation['changed_from']>;

/** The names in a difference of lists of an endpoint have members of their own in `changed_from`. */
function differenceOf(kind: string, { difference }: State) {
  const surface = surfaceOf(kind);
  if (!difference || !surface)
    return difference && { difference: { ...difference, items: [...difference.items] } };
  const { items, counts } = difference as { items: { name: string }[]; counts: ChangedFrom['counts'] };
  return surface === surfaces.tools
    ? { tools: items.map(({ name: tool, ...one }) => ({ tool, ...one })) as ChangedFrom['tools'], counts }
    : { members: items as ChangedFrom['members'], counts };
}

const toChangedFrom = (kind: string, { was, is }: StateChange): ChangedFrom => ({
  value: was.value,
  outcome: was.outcome,
  seen_until: was.to,
  seen_from: is.from,
  ...(was.value_digest && { value_digest: was.value_digest }),
  ...differenceOf(kind, is),
});

/** Of the details, only numbers are told of an earlier change, such as the length of a list. */
export function toEarlier(kind: string, change: StateChange): EarlierChange {
  const { value, value_digest, details = {}, from: first_seen_at } = change.is;
  const counts = Object.entries(details).filter(([, one]) => typeof one === 'number');
  return {
    value,
    first_seen_at,
    changed_from: toChangedFrom(kind, change),
    ...(value_digest && { value_digest }),
    ...(counts.length > 0 && { details: Object.fromEntries(counts) }),
  };
}

/** Only changes for which there is a sentence are told. */
const isSaid = (kind: string, { value, changed_from: from, ...more }: EarlierChange) =>
  (from.value !== null || from.outcome === 'nothing') &&
  kindOf(kind)?.sayChange?.(from, { ...more, value }, own('')) !== undefined;

export const weightOf = (kind: string, { value, changed_from, ...more }: EarlierChange): number =>
  kindOf(kind)?.weighChange?.(changed_from, { ...more, value }) ?? 0;

/**
 * The changes that no later one outweighs, oldest first. A change that went to and fro is told once.
 */
function earlierChanges(
  kind: string,
  all: readonly StateChange[],
  last: StateChange | undefined,
): EarlierChange[] {
  if (all.length === 0 || !kindOf(kind)?.weighChange) return [];
  let least = last ? weightOf(kind, toEarlier(kind, last)) : 0;
  const told = new Map<string, EarlierChange>();
  let ofWeight = 0;
  for (const change of all.filter((one) => one !== last).toReversed()) {
    const one = toEarlier(kind, change);
    const key = JSON.stringify([one.changed_from.value, one.value]);
    const weight = weightOf(kind, one);
    const isEqual = last && isSame(change.was, last.was) && isSame(change.is, last.is);
    const isLight = weight < least || (weight === least && ofWeight >= mostOfWeight);
    if (isEqual || told.has(key) || isLight || !isSaid(kind, one)) continue;
    ofWeight = weight === least ? ofWeight + 1 : 1;
    least = weight;
    told.set(key, one);
  }
  return [...told.values()].toReversed().slice(0, mostEarlier);
}

/** The changes that led to what stands. A value that came back has those of the value. */
function changesTo({ kind, spans }: Timeline, { outcome }: State): readonly StateChange[] {
  const all = changes(spans, rulesOf({ kind }));
  const isOfValue = outcome === 'seen' || outcome === 'nothing';
  return isOfValue ? all.filter(({ is }) => is.outcome === 'seen' || is.outcome === 'nothing') : all;
}

function toMissed(later: readonly Span[]): StoredObservation['missed'] {
  const [first] = later;
  const newest = later.at(-1);
  if (!first || !newest) return undefined;
  const failed = later.filter(({ outcome }) => isUnanswered(outcome));
  const isOne = new Set(failed.map(({ outcome }) => outcome)).size === 1;
  return {
    since: first.from,
    ...(failed[0] && { unanswered: failed[0].from }),
    ...(isOne && failed[0] && { outcome: failed[0].outcome }),
    ...(newest.why && { why: newest.why }),
    ...(newest.response && { response: newest.response }),
  };
}

/** The changes of a fact that are told, oldest first; the last that led to its value is at the end. */
export function toldChanges(
  kind: string,
  fact: Pick<Observation, 'value' | 'value_digest' | 'details' | 'changed_from' | 'earlier_changes'>,
): EarlierChange[] {
  const { value, value_digest, details, changed_from, earlier_changes = [] } = fact;
  if (!changed_from || value === null) return [...earlier_changes];
  const last = {
    value,
    first_seen_at: changed_from.seen_from,
    changed_from,
    ...(value_digest && { value_digest }),
    ...(details && { details }),
  };
  return isSaid(kind, last) ? [...earlier_changes, last] : [...earlier_changes];
}

/** What stands of a fact, and what its readings say about how it came to be. */
export function toFact(timeline: Timeline): StoredObservation | undefined {
  const { kind, subject, spans, tally } = timeline;
  const stands = standing(spans, rulesOf(timeline));
  if (!stands) return undefined;
  const { state, later } = stands;
  const { from, to, by: _, open: __, mayPass: ___, confirmed: ____, difference: _____, ...read } = state;
  const { isSilence: ______, folded: _______, beyond: ________, one_session_at: _________, ...fact } = read;
  const all = changesTo(timeline, state);
  const led = all.findLast(({ is }) => isSame(is, state) && is.method_version === state.method_version);
  const last = led === all.at(-1) ? led : undefined;
  const earlier = earlierChanges(kind, all, last);
  const alternates_since = last && alternatesSince(all);
  const missed = toMissed(later);
  const { one_session_at } = spans.at(-1) ?? {};
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...fact,
    observed_at: to,
    first_seen_at: from,
    ...(last && {
      changed_from: { ...toChangedFrom(kind, last), ...(alternates_since && { alternates_since }) },
    }),
    ...(earlier.length > 0 && { earlier_changes: earlier }),
    ...(one_session_at && { one_session_at }),
    ...(missed && { missed }),
    ...(tally && { tally }),
  };
}

export const toFacts = (timelines: readonly Timeline[]): StoredObservation[] =>
  timelines.flatMap((one) => toFact(one) ?? []);
