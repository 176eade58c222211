import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../core/json.ts';
import { day_ms, dayText } from '../../../core/text.ts';
import type { WordsPart } from '../../../core/words.ts';
import type { NoAnswer } from '../../../net/answer.ts';
import type { OpeningMessage } from '../../asked/endpoint/conversation.ts';
import { isLearnedOutcome, isUnanswered, type Outcome } from '../../asked/outcome.ts';
import type { Tally } from './tally.ts';

/** Readings with the same essence are of the same state. */
export interface Essence {
  readonly value: Json | null;
  /** SHA-256 (RFC 8785) of the whole value, if `value` is a summary. */
  readonly value_digest?: string;
  readonly outcome: Outcome;
  readonly asks_for?: NoAnswer['asks_for'];
}

export const essenceOf = ({ value, value_digest, outcome, asks_for }: Essence): Essence => ({
  value,
  ...(value_digest && { value_digest }),
  outcome,
  ...(asks_for && { asks_for }),
});

export interface Reading extends Essence {
  readonly method_version: string;
  readonly vantage: string;
  readonly source: string;
  readonly source_url?: string;
  /** With all that the fact depends on in the record, such as `npm:name@1.0.0`. */
  readonly recorded?: string;
  /** The exchange that decided the reading, and one that failed, perhaps only for a time. */
  readonly by?: OpeningMessage;
  readonly open?: OpeningMessage;
  /** A second reading must confirm it before it replaces a state. */
  readonly mayPass?: true;
  readonly why?: readonly WordsPart[];
  readonly response?: {
    readonly status: number;
    readonly media_type?: string;
    readonly redirects_to?: string;
  };
  readonly details?: Readonly<Record<string, unknown>>;
  /** The endpoint refused a session at this time, because it has one for all clients. */
  readonly one_session_at?: string;
  /** May differ without a change of the fact, such as expiring signatures. */
  readonly as_seen?: Readonly<Record<string, unknown>>;
}

/** What is new in a whole value: the first items, and the number of all by class. */
export interface StoredDifference {
  readonly items: readonly object[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Equal readings in a row; `from` and `to` are of the first and the last (RFC 3339). */
export interface Span extends Reading {
  readonly from: string;
  readonly to: string;
  readonly checks: number;
  /** The first reading an hour or more after `from`. */
  readonly confirmed?: string;
  readonly difference?: StoredDifference;
  /** Spans after it that are no longer stored. */
  readonly folded?: number;
  /** Later readings outside of this view were equal too (`until`). */
  readonly beyond?: true;
}

export type Gap = readonly [from: string, until: string];

/** Oldest first. */
export interface Timeline {
  readonly kind: string;
  readonly subject?: string;
  readonly spans: readonly Span[];
  readonly tally?: Tally;
  /** From checks that did not find in the record what it is about, to those that found it again. */
  readonly away?: readonly Gap[];
  /** The check since which it is away now. */
  readonly ended?: string;
  /** What was seen last at other such places, until checks did not find these in the record. */
  readonly elsewhere?: readonly { readonly value: Json; readonly until: string; readonly at: string }[];
}

export const keyOf = ({ kind, subject = '' }: { readonly kind: string; readonly subject?: string }) =>
  `${kind}\n${subject}`;

/** Spans that count as what was known, with those between them that learned nothing. */
export interface State extends Span {
  /** No usable answer came on two days or more, of a fact that says whether an answer comes. */
  readonly isSilence?: true;
  /** If all of its readings have the same reason. */
  readonly silentWhy?: Span['why'];
  /** The time without a check of it that ended as the state began. */
  readonly away?: Gap;
}

export type StateChange = Readonly<Record<'was' | 'is', State>>;

/** `reach`: it says whether something answers, so failed checks are a state too. */
export type StateRules = { readonly reach?: boolean; readonly away?: Timeline['away'] };

const confirmedAfter_ms = 3_600_000;

const isHourLater = (from: string, at: string) => Date.parse(at) - Date.parse(from) >= confirmedAfter_ms;

/** A list has its digest as its value. */
export const wholeDigestOf = ({ value, value_digest }: Pick<Essence, 'value' | 'value_digest'>) =>
  value_digest ?? (typeof value === 'string' ? value : undefined);

export const isSame = (a: Essence, b: Essence): boolean => isDeepStrictEqual(essenceOf(a), essenceOf(b));

const isSameState = (a: Reading, b: Reading) => a.method_version === b.method_version && isSame(a, b);

function isSameReading({ from, to, checks, confirmed, difference, folded, ...last }: Span, read: Reading) {
  return isDeepStrictEqual({ ...last, as_seen: undefined }, { ...read, as_seen: undefined });
}

export function add(spans: readonly Span[], read: Reading, at: string): readonly Span[] {
  const last = spans.at(-1);
  if (!last || !isSameReading(last, read)) return [...spans, { ...read, from: at, to: at, checks: 1 }];
  const confirmed = last.confirmed ?? (isHourLater(last.from, at) ? at : undefined);
  const { as_seen: _, ...same } = last;
  const seen = read.as_seen && { as_seen: read.as_seen };
  return [
    ...spans.slice(0, -1),
    { ...same, ...seen, to: at, checks: last.checks + 1, ...(confirmed && { confirmed }) },
  ];
}

const hasNoState = (state: State | undefined) =>
  !state || !(isLearnedOutcome(state.outcome) || state.isSilence);

const goOn = (state: State, span: Span): State => ({
  ...span,
  ...(state.away && { away: state.away }),
  from: state.from,
  checks: state.checks + span.checks,
  ...(state.confirmed && { confirmed: state.confirmed }),
  ...(state.difference && { difference: state.difference }),
});

/** A second reading must confirm it. */
export const isUnsure = ({ outcome, mayPass }: Reading): boolean => outcome === 'absent' || mayPass === true;

/** Before anything was learned, the newest reading that asked is what stands. */
function withUnlearned(state: State | undefined, span: Span): State {
  if (!state) return span;
  if (span.outcome === 'not_asked' && state.outcome !== 'not_asked') return state;
  return state.outcome === span.outcome ? goOn(state, span) : span;
}

/**
 * Oldest first. `absent`, and what may pass, counts from its second reading an hour or more later, unless
 * nothing was learned before or the record changed what the fact is about. A fact about `reach` begins anew
 * after a failed reading, and failures on two days or more are its state from the first of them. Every fact
 * begins anew after a time without a check of it. If nothing was ever learned, the newest reading that asked
 * is the one state.
 */
export function states(spans: readonly Span[], { reach = false, away: gaps = [] }: StateRules = {}): State[] {
  const counted: State[] = [];
  let waiting: Span | undefined;
  let silence:
    | { readonly from: string; readonly outcome: Outcome; readonly silentWhy: Span['why'] }
    | undefined;
  let gap: { readonly away?: Gap } = {};
  for (const [nth, span] of spans.entries()) {
    const last = counted.at(-1);
    const isFirst = hasNoState(last);
    const { to = span.to } = spans[nth - 1] ?? {};
    const away = gaps.findLast(([, back]) => to < back && back <= span.from);
    if (away) {
      gap = { away };
      waiting = undefined;
      silence = undefined;
    }
    if (isUnanswered(span.outcome)) {
      const isMixed = silence && silence.outcome !== span.outcome;
      const isOfAll = !silence || isDeepStrictEqual(silence.silentWhy, span.why);
      silence = {
        from: silence?.from ?? span.from,
        outcome: isMixed ? 'silent' : span.outcome,
        silentWhy: isOfAll ? span.why : undefined,
      };
      if (reach && !isFirst && dayText(silence.from) < dayText(span.to)) {
        const state = { ...span, ...silence, ...gap, isSilence: true as const };
        counted.splice(last?.isSilence && !gap.away ? -1 : counted.length, 1, state);
        gap = {};
        continue;
      }
    }
    if (!isLearnedOutcome(span.outcome)) {
      if (isFirst) counted.splice(0, 1, withUnlearned(last, span));
      continue;
    }
    const known = counted.findLast(({ isSilence }) => !isSilence) ?? span;
    const isNew = !isFirst && !isSame(known, span) && known.recorded === span.recorded;
    if (isUnsure(span) && isNew) {
      const first: Span = waiting && isSame(waiting, span) ? waiting : span;
      const isLater = first !== span && isHourLater(first.from, span.to);
      const confirmed = isLater ? span.to : span.confirmed;
      waiting = { ...span, from: first.from, ...(confirmed && { confirmed }) };
      if (!confirmed) continue;
      counted.push({ ...waiting, ...gap });
    } else if (last && !isFirst && isSameState(last, span) && !gap.away && !(reach && (silence || waiting)))
      counted[counted.length - 1] = goOn(last, span);
    else counted.splice(isFirst ? 0 : counted.length, 1, { ...span, ...gap });
    gap = {};
    waiting = undefined;
    silence = undefined;
  }
  return counted;
}

/** A value, or the statement that there is none, is compared with the last of them. */
function before(all: readonly State[], at: number): State | undefined {
  const earlier = all.slice(0, at);
  const is = all[at];
  const isOfValue = ({ outcome }: State) => outcome === 'seen' || outcome === 'nothing';
  return (is && isOfValue(is) && earlier.findLast(isOfValue)) || earlier.at(-1);
}

/** Two methods are not compared, nor a reading with one that another exchange decided in its place. */
const isCompared = (was: State, is: State) =>
  (isLearnedOutcome(was.outcome) || was.isSilence) &&
  was.method_version === is.method_version &&
  (is.by === undefined || was.open !== is.by);

const changesIn = (all: readonly State[], wasAt: (at: number) => State | undefined): StateChange[] =>
  all.flatMap((is, at) => {
    const was = wasAt(at);
    return was && isCompared(was, is) && !isSame(was, is) ? [{ was, is }] : [];
  });

/** A state that comes back after others without a value is no change. */
export function changes(spans: readonly Span[], rules?: StateRules): StateChange[] {
  const all = states(spans, rules);
  return changesIn(all, (at) => before(all, at));
}

/** Neighbouring states that differ, also those that only come back. */
export const movesOf = (all: readonly State[]) => changesIn(all, (at) => (at > 0 ? all[at - 1] : undefined));

const alternates_ms = 30 * day_ms;
const fewestTurns = 3;

const isLongAfter = ({ is }: StateChange, earlier: StateChange): boolean =>
  Date.parse(is.from) - Date.parse(earlier.is.from) > alternates_ms;

const isReturn = (later: StateChange, earlier: StateChange): boolean =>
  later.was.folded === undefined && isSame(earlier.was, later.is) && isSame(earlier.is, later.was);

/** A change and those that take it back and repeat it, each three in a row within 30 days. */
export function rowsOf(all: readonly StateChange[]): [StateChange, ...StateChange[]][] {
  const rows: [StateChange, ...StateChange[]][] = [];
  for (const change of all) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    const isNext = row && last && isReturn(change, last) && !isLongAfter(change, row.at(-2) ?? last);
    if (isNext) row.push(change);
    else rows.push([change]);
  }
  return rows;
}

/** To and fro between two states. */
export const turnsIn = (row: readonly StateChange[]) =>
  row[0] && row.length >= fewestTurns ? { since: row[0].is.from, states: 2, changes: row.length } : undefined;

/** Of three states or more: the longest row up to the last change in which each was seen more than once. */
export function turnsOf(all: readonly StateChange[]) {
  const two = turnsIn(rowsOf(all).at(-1) ?? []);
  if (two) return two;
  const isCut = (one: StateChange, at: number) => isLongAfter(one, all[at - 1] ?? one);
  const row = all.slice(Math.max(all.findLastIndex(isCut), 0));
  const keys = [row[0]?.was, ...row.map(({ is }) => is)].map((one) => one && JSON.stringify(essenceOf(one)));
  const times = (from: number) => [...Map.groupBy(keys.slice(from), (key) => key).values()];
  const isInTurn = (seen: ReturnType<typeof times>) =>
    seen.length > 2 && seen.every(({ length }) => length > 1);
  const from = keys.findIndex((_, at) => isInTurn(times(at)));
  const first = from < 0 ? undefined : row[from];
  return first && { since: first.is.from, states: times(from).length, changes: row.length - from };
}

/** States that came back, and how often it changed among them since the first of these changes. */
export type Turns = NonNullable<ReturnType<typeof turnsOf>>;

/** `later` readings did not see it. If `state` has no value, `last` is the last one with a value. */
export function standing(spans: readonly Span[], rules?: StateRules) {
  const all = states(spans, rules);
  const state = all.at(-1);
  if (!state) return undefined;
  const earlier = all.slice(0, -1);
  const last = earlier.findLast(({ outcome }) => outcome === 'seen');
  const later = spans.filter(({ from }) => from > state.to);
  return { state, later, ...(state.outcome !== 'seen' && last && { last }) };
}

const mostKept = 10;
const isLarge = (one: unknown) =>
  Array.isArray(one) && (one.length > mostKept || one.some((item) => typeof item === 'object'));

/** Lists of objects and of more than ten names are stored only with the newest value. */
export const withoutLists = ({ details, ...span }: Span): Span => {
  const short = Object.entries(details ?? {}).filter(([, one]) => !isLarge(one));
  return { ...span, ...(short.length > 0 && { details: Object.fromEntries(short) }) };
};

/**
 * Leaves out what only the newest reading has. `checks` are of the listing (ms since 1970), as far as they
 * are stored.
 */
export function until(spans: readonly Span[], at: string, checks: readonly number[]): readonly Span[] {
  const begun = spans.filter(({ from }) => from <= at);
  const newest = begun.at(-1);
  // What stood then is no longer stored.
  if (newest?.folded && newest.to < at) return [];
  return begun.map(({ as_seen: _, ...given }) => {
    const span = withoutLists(given);
    if (span.to <= at) return span;
    const { confirmed, ...others } = span;
    const made = checks.filter((one) => one >= Date.parse(span.from) && one <= Date.parse(at));
    const last = made.at(-1);
    return {
      ...others,
      ...(confirmed && confirmed <= at && { confirmed }),
      ...(last === undefined
        ? { to: at, beyond: true as const }
        : { to: new Date(last).toISOString(), checks: made.length }),
    };
  });
}

/** Another reason why nothing was learned is no news. */
export const isNews = (was: State | undefined, is: State): boolean =>
  !was || (!isSame(was, is) && (isLearnedOutcome(was.outcome) || !hasNoState(is)));

/** Of a fact about `reach`, a first failed check is the state of its day too. */
function stateAt(spans: readonly Span[], rules: StateRules | undefined): State | undefined {
  const { state, later } = standing(spans, rules) ?? {};
  const newest = later?.findLast(({ outcome }) => outcome !== 'not_asked');
  const hasFailed = rules?.reach && newest && isUnanswered(newest.outcome);
  return hasFailed ? { ...newest, isSilence: true, silentWhy: newest.why } : state;
}

/** Of a fact, at two times. Without `was`, nothing was known at the first. */
export function between(
  spans: readonly Span[],
  [from, to]: readonly [string, string],
  checks: readonly number[],
  rules?: StateRules,
): (Pick<StateChange, 'is'> & Partial<StateChange>) | undefined {
  const was = stateAt(until(spans, from, checks), rules);
  const is = stateAt(until(spans, to, checks), rules);
  const isOfOld = !was && spans.some((span) => span.from <= from);
  if (!is || isOfOld || !isNews(was, is)) return undefined;
  if (!was) return { is };
  // What stood at the first time may have been seen later too.
  const seen = spans.filter((span) => span.from < is.from && isSame(span, was));
  return { is, was: { ...was, to: seen.reduce((last, { to: at }) => (at > last ? at : last), was.to) } };
}

export const mostSpans = 100;

/** The newest, the first, and those beside the weightiest changes; the span before others counts them. */
export function fold(spans: readonly Span[], weightiest: readonly StateChange[]): readonly Span[] {
  if (spans.length <= mostSpans) return spans;
  const kept = new Set(weightiest.flatMap(({ was, is }) => [was.to, is.from]));
  const isKept = ({ from, to }: Span, at: number) =>
    at === 0 || at >= spans.length - mostSpans || kept.has(from) || kept.has(to);
  const all: Span[] = [];
  for (const [at, span] of spans.entries()) {
    const last = all.at(-1);
    if (!last || isKept(span, at)) all.push(span);
    else all[all.length - 1] = { ...last, folded: (last.folded ?? 0) + 1 + (span.folded ?? 0) };
  }
  return all;
}
