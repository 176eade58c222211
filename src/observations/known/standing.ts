import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../core/json.ts';
import { isUnanswered } from '../asked/outcome.ts';
import { tellingChanges, toChangedFrom } from './changes/telling.ts';
import type { ValuePart } from './kind.ts';
import { kindOf, rulesOf } from './kinds.ts';
import type { StoredObservation } from './observation.ts';
import {
  changes,
  isSame,
  type Span,
  type State,
  type StateChange,
  type StateRules,
  standing,
  states,
  type Timeline,
  turnsOf,
} from './timeline/timeline.ts';

/** A value that came back has the changes of the value. */
function changesTo(timeline: Timeline, { outcome }: State): readonly StateChange[] {
  const all = changes(timeline.spans, rulesOf(timeline));
  const isOfValue = outcome === 'seen' || outcome === 'nothing';
  return isOfValue ? all.filter(({ is }) => is.outcome === 'seen' || is.outcome === 'nothing') : all;
}

/** Of a fact about `reach`, nothing there is no usable answer either. */
function toMissed(later: readonly Span[], { reach }: StateRules): StoredObservation['missed'] {
  const [first] = later;
  const newest = later.at(-1);
  if (!first || !newest) return undefined;
  const failed = later.filter(({ outcome }) => isUnanswered(outcome) || (reach && outcome === 'absent'));
  const ends = new Set((failed.length > 0 ? failed : later).map(({ outcome }) => outcome));
  return {
    since: first.from,
    until: newest.beyond ? newest.from : newest.to,
    ...(failed[0] && { unanswered: failed[0].from }),
    ...(ends.size === 1 && { outcome: (failed[0] ?? first).outcome }),
    ...(newest.why && { why: newest.why }),
    ...(newest.response && { response: newest.response }),
  };
}

/** Since the record left a place of the same kind at which checks saw another value. */
function unlessElsewhere(
  { since, before_until }: { readonly since: string; readonly before_until: string | undefined },
  { elsewhere = [] }: Timeline,
  isOther: (value: Json) => boolean = () => true,
): StoredObservation['same'] {
  const other = elsewhere.findLast((one) => one.at >= since && isOther(one.value));
  const until = other?.until ?? before_until;
  return { since: other?.at ?? since, ...(until !== undefined && { before_until: until }) };
}

const isSamePart = (was: ValuePart | undefined, is: ValuePart | undefined) =>
  was !== undefined &&
  is !== undefined &&
  (is.mayShrink
    ? is.members.every((one) => was.members.includes(one))
    : isDeepStrictEqual(was.members, is.members));

/** Not from before states that are no longer stored. */
function toParts(timeline: Timeline, { value, method_version }: State): StoredObservation['parts'] {
  const { partsOf } = kindOf(timeline.kind) ?? {};
  const named = value === null ? undefined : partsOf?.({ value });
  if (!named) return undefined;
  const { spans } = timeline;
  const stored = spans.slice(spans.findLastIndex(({ folded }) => folded !== undefined) + 1);
  const read = states(stored, rulesOf(timeline)).map((state) => {
    const isCompared = state.value !== null && state.method_version === method_version;
    return { ...state, parts: isCompared ? partsOf?.({ value: state.value }) : undefined };
  });
  const back = read.findLastIndex(({ away }) => away);
  const sameSince = ([name, last]: readonly [string, ValuePart]) => {
    const at = read.findLastIndex(
      ({ parts }, nth) => nth + 1 < read.length && !isSamePart(parts?.[name], read[nth + 1]?.parts?.[name]),
    );
    const own = {
      since: read[Math.max(at + 1, back)]?.from ?? '',
      before_until: at + 1 < back ? undefined : read[at]?.parts && read[at].to,
    };
    const isOther = (was: Json) => !isSamePart(partsOf?.({ value: was })?.[name], last);
    return [name, unlessElsewhere(own, timeline, isOther)] as const;
  };
  return Object.fromEntries(Object.entries(named).map(sameSince));
}

function toFact(timeline: Timeline): StoredObservation | undefined {
  const { kind, subject, spans, tally } = timeline;
  const stands = standing(spans, rulesOf(timeline));
  if (!stands) return undefined;
  const { state, later } = stands;
  const { from, to, by: _, open: __, mayPass: ___, confirmed: ____, difference: _____, ...read } = state;
  const { isSilence: _1, silentWhy: _2, folded: _3, one_session_at: _4, away, ...fact } = read;
  const all = changesTo(timeline, state);
  const led = all.findLast(({ is }) => isSame(is, state) && is.method_version === state.method_version);
  const last = led === all.at(-1) ? led : undefined;
  const earlier = tellingChanges(kind, all, last).map(({ said }) => said);
  const turns = last && turnsOf(all);
  const missed = toMissed(later, rulesOf(timeline));
  const parts = toParts(timeline, state);
  const before_until =
    last && (!away || last.is.from === from) && last.was.value !== null ? last.was.to : undefined;
  const { one_session_at } = spans.at(-1) ?? {};
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...fact,
    observed_at: state.beyond ? from : to,
    first_seen_at: from,
    ...(last && { changed_from: { ...toChangedFrom(kind, last), ...(turns && { turns }) } }),
    ...(earlier.length > 0 && { earlier_changes: earlier }),
    same: unlessElsewhere({ since: from, before_until }, timeline),
    ...(parts && { parts }),
    ...(one_session_at && { one_session_at }),
    ...(missed && { missed }),
    ...(away && { away }),
    ...(tally && { tally }),
  };
}

export const toFacts = (timelines: readonly Timeline[]): StoredObservation[] =>
  timelines.flatMap((one) => {
    const fact = toFact(one);
    if (!fact) return [];
    const last = fact.value === null ? lastSeen(one) : undefined;
    return [last ? { ...fact, last_known: { ...last, missed: { since: fact.first_seen_at } } } : fact];
  });

/** As it stood when a check last saw a value, whatever later checks found. */
export function lastSeen({ spans, ...timeline }: Timeline): StoredObservation | undefined {
  const end = spans.findLastIndex(({ outcome }) => outcome === 'seen');
  if (end < 0) return undefined;
  const fact = toFact({ ...timeline, spans: spans.slice(0, end + 1) });
  return fact?.outcome === 'seen' ? fact : undefined;
}
