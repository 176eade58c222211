import { isDeepStrictEqual } from 'node:util';
import type { Words, WordsPart } from '../../core/words.ts';
import { type Differences, tellingChanges, toChange } from './changes/telling.ts';
import { kindOf, rulesOf } from './kinds.ts';
import type { Finding, ObservationChange } from './observation.ts';
import type { PackedValue } from './timeline/packed.ts';
import { allKept, type KeptTimelines } from './timeline/past.ts';
import { addCheck, type CheckEnd, toTallied } from './timeline/tally.ts';
import {
  add,
  changes as changesOf,
  fold,
  isSame,
  keyOf,
  mostSpans,
  type Reading,
  standing,
  type Timeline,
  withoutLists,
} from './timeline/timeline.ts';

export interface DatedFinding extends Omit<Finding, 'why' | 'open'> {
  readonly kind: string;
  readonly open?: { readonly exchange: Reading['open']; readonly why: readonly WordsPart[] };
  readonly why?: readonly WordsPart[];
  readonly method_version: string;
  readonly packed?: PackedValue;
  /** The finding stands for all facts of its kind. */
  readonly isFailure?: true;
}

export type RunStamp = Readonly<Record<'at' | 'vantage', string>>;

type Known = Timeline | undefined;

function toReading({ kind: _, subject: __, ...found }: DatedFinding, { vantage }: RunStamp): Reading {
  const { isFailure, ended, whole, whole_digest, packed, rule, open, ...read } = found;
  return { ...read, ...(open?.exchange && { open: open.exchange }), vantage };
}

const notSeen = (
  { method_version, source }: Reading,
  why: readonly WordsPart[] | undefined,
  vantage: string,
) => ({ value: null, outcome: 'not_asked' as const, method_version, source, vantage, ...(why && { why }) });

/** Nothing, if the exchange that decided before failed, or the check saw only a part and something else. */
function read(known: Known, found: DatedFinding, stamp: RunStamp): Reading {
  const reading = toReading(found, stamp);
  const { state, last = state } = (known && standing(known.spans, rulesOf(known))) ?? {};
  const { open, rule, why } = found;
  const by = state?.by ?? last?.by;
  const isAsKnown = state && isSame(state, reading) && state.method_version === reading.method_version;
  if (open && by !== undefined && open.exchange === by) {
    const { open: _, ...closed } = reading;
    return isAsKnown ? { ...closed, by } : notSeen(reading, open.why, stamp.vantage);
  }
  const isOther = last ? !isSame(last, reading) : reading.value === null;
  return rule === 'unsure' && isOther ? notSeen(reading, why, stamp.vantage) : reading;
}

function withNewestLists({ spans, ...timeline }: Timeline): Timeline {
  const newest = spans.findLastIndex(({ outcome }) => outcome === 'seen');
  return { ...timeline, spans: spans.map((span, at) => (at < newest ? withoutLists(span) : span)) };
}

function ofFact(
  { away = [], ended, elsewhere }: Partial<Timeline> = {},
  { kind, subject }: DatedFinding,
  { at }: RunStamp,
) {
  const all = ended === undefined ? away : [...away, [ended, at] as const].slice(-mostSpans);
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(all.length > 0 && { away: all }),
    ...(elsewhere && { elsewhere }),
  };
}

function tallied(
  known: Known,
  found: DatedFinding & { readonly ended: CheckEnd },
  stamp: RunStamp,
): Timeline {
  const tally = addCheck(known?.tally ?? {}, stamp.at, found.ended);
  const reading = { ...toReading(found, stamp), value: toTallied(tally, stamp.at) };
  return { ...ofFact(known, found, stamp), spans: add([], reading, stamp.at), tally };
}

function next(known: Known, found: DatedFinding, stamp: RunStamp, differences: Differences): Known {
  const { ended, kind, rule, value } = found;
  if (ended) return tallied(known, { ...found, ended }, stamp);
  if (known?.tally) return known.ended ? undefined : known;
  if (!known && (rule === 'rare' || rule === 'unsure') && value === null) return undefined;
  const before = known?.spans ?? [];
  const reading = read(known, found, stamp);
  const added = known?.ended ? [...before, ...add([], reading, stamp.at)] : add(before, reading, stamp.at);
  const newest = added.at(-1);
  const { shown: items, counts } = (added.length > before.length && differences.get(keyOf(found))) || {};
  const dated =
    newest && items && counts ? added.with(-1, { ...newest, difference: { items, counts } }) : added;
  const told = dated.length > mostSpans ? tellingChanges(kind, changesOf(dated, rulesOf(found))) : [];
  const spans = fold(
    dated,
    told.map(({ change }) => change),
  );
  return { ...ofFact(known, found, stamp), spans };
}

export const missedAll = (known: readonly Timeline[], { parts: why }: Words, { at, vantage }: RunStamp) =>
  known.map((one) => {
    const newest = one.spans.at(-1);
    return one.tally || !newest ? one : { ...one, spans: add(one.spans, notSeen(newest, why, vantage), at) };
  });

function ofFailure(failed: DatedFinding, known: readonly Timeline[]): DatedFinding[] {
  const ofKind = known.filter(({ kind }) => kind === failed.kind);
  if (ofKind.length === 0) return [failed];
  return ofKind.map(({ subject, spans }) => {
    const recorded = spans.at(-1)?.recorded;
    return {
      ...failed,
      ...(subject !== undefined && { subject }),
      ...(recorded !== undefined && { recorded }),
    };
  });
}

/** The endpoint itself, or the same place below it. */
export const placeBelow = ({ subject = '', spans }: Timeline) =>
  subject.replace(spans.at(-1)?.recorded ?? subject, '');

const mostElsewhere = 5;

/** `left`: what the record named until this check. */
function withElsewhere(one: Timeline, left: readonly Timeline[], { at }: RunStamp): Timeline {
  const isSuch = (other: Timeline) => other.kind === one.kind && placeBelow(other) === placeBelow(one);
  const seen = left.filter(isSuch).flatMap((other) => {
    const { state } = standing(other.spans, rulesOf(other)) ?? {};
    return state?.outcome === 'seen' ? [{ value: state.value, until: state.to, at }] : [];
  });
  const value = standing(one.spans, rulesOf(one))?.state.value ?? null;
  const others = seen.filter((other) => !isDeepStrictEqual(other.value, value));
  return others.length === 0
    ? one
    : { ...one, elsewhere: [...(one.elsewhere ?? []), ...others].slice(-mostElsewhere) };
}

/** A known fact that no finding mentions is away until one does. */
export function recordRun(
  kept: KeptTimelines,
  found: readonly DatedFinding[],
  stamp: RunStamp,
  differences: Differences = new Map(),
): { readonly timelines: readonly Timeline[]; readonly changes: readonly ObservationChange[] } {
  const { timelines: known } = kept;
  const byKey = new Map(allKept(kept).map((one) => [keyOf(one), one]));
  const recorded = found
    .flatMap((one) => (one.isFailure ? ofFailure(one, known) : [one]))
    .filter(
      ({ rule, kind }) =>
        rule !== 'together' ||
        !known.some((other) => other.kind === kind && other.spans.some(({ outcome }) => outcome === 'seen')),
    )
    .flatMap((one) => next(byKey.get(keyOf(one)), one, stamp, differences) ?? []);
  const keys = new Set(recorded.map(keyOf));
  const left = known.filter((one) => kindOf(one.kind)?.isLocked && !keys.has(keyOf(one)));
  const timelines = left.length === 0 ? recorded : recorded.map((one) => withElsewhere(one, left, stamp));
  const changes = timelines.flatMap((one) => toChange(byKey.get(keyOf(one)), one, differences) ?? []);
  return { timelines: timelines.map(withNewestLists), changes };
}
