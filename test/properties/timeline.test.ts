import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  add,
  between,
  changes,
  type Reading,
  type Span,
  type State,
  standing,
  states,
  until,
} from '../../src/observations/known/timeline/timeline.ts';

const outcomes = [
  'seen',
  'seen',
  'seen',
  'nothing',
  'asks',
  'absent',
  'otherwise',
  'silent',
  'not_asked',
] as const;
const hour_ms = 3_600_000;
const reading = fc.record({
  outcome: fc.constantFrom(...outcomes),
  value: fc.constantFrom('a', 'b'),
  method_version: fc.constantFrom('x/1', 'x/1', 'x/1', 'x/2'),
  isUnsure: fc.boolean(),
  /** From ten minutes to two days after the reading before. */
  after_ms: fc.constantFrom(600_000, 2_000_000, hour_ms, 12 * hour_ms, 24 * hour_ms, 48 * hour_ms),
});

interface Dated extends Reading {
  readonly at: string;
}

const readings = fc.array(reading, { minLength: 1, maxLength: 25 }).map((all) => {
  let at_ms = Date.UTC(2026, 0, 1, 20);
  return all.map(({ outcome, value, method_version, isUnsure, after_ms }): Dated => {
    at_ms += after_ms;
    return {
      at: new Date(at_ms).toISOString(),
      outcome,
      value: outcome === 'seen' ? value : null,
      method_version,
      ...(outcome === 'asks' && isUnsure && { mayPass: true as const }),
      source: 'Dossier',
      vantage: 'here',
    };
  });
});

const onDay = (day: number) => new Date(Date.UTC(2026, 0, 1 + day, 20)).toISOString();

const toSpans = (all: readonly Dated[]) =>
  all.reduce<readonly Span[]>((spans, { at, ...one }) => add(spans, one, at), []);

const isLearned = ({ outcome }: Reading) => ['seen', 'nothing', 'asks', 'absent'].includes(outcome);
const isUnanswered = ({ outcome }: Reading) => outcome === 'silent' || outcome === 'otherwise';
const keyOf = ({ outcome, value }: Reading) => `${outcome} ${value}`;
const isHourLater = (a: Dated, b: Dated) => Date.parse(b.at) - Date.parse(a.at) >= hour_ms;

/** What counts, read off the single readings: outcome, value, first and last time. */
function statesOf(all: readonly Dated[], reach: boolean): string[] {
  const found: { key: string; method: string; from: string; to: string; isSilence?: boolean }[] = [];
  const isKnown = () => found.some(({ key }) => !key.startsWith('-'));
  all.forEach((one, at) => {
    const earlier = all.slice(0, at);
    const lastLearned = earlier.findLastIndex((other, index) => isLearned(other) && isCounted(all, index));
    const since = earlier.slice(lastLearned + 1);
    const last = found.at(-1);
    if (isUnanswered(one) && reach && isKnown()) {
      const failed = [...since.filter(isUnanswered), one];
      const first = failed[0] as Dated;
      if (first.at.slice(0, 10) === one.at.slice(0, 10)) return;
      const outcome = new Set(failed.map((other) => other.outcome)).size > 1 ? 'silent' : one.outcome;
      if (last?.isSilence) found.pop();
      found.push({ key: `${outcome} null`, method: '', from: first.at, to: one.at, isSilence: true });
      return;
    }
    if (!isLearned(one) || !isCounted(all, at)) return;
    const key = keyOf(one);
    const isBroken = reach && since.some((other) => isUnanswered(other) || isLearned(other));
    if (last && last.key === key && last.method === one.method_version && !isBroken) last.to = one.at;
    else {
      const isWaited = one.outcome === 'absent' || one.mayPass;
      const run = isWaited && isKnown() ? runBefore(since, key) : [];
      found.push({ key, method: one.method_version, from: (run[0] ?? one).at, to: one.at });
    }
  });
  return found.map(({ key, from, to }) => `${key} ${from} ${to}`);
}

/** The readings in a row, among those that learned something, that are equal to a key. */
function runBefore(since: readonly Dated[], key: string): Dated[] {
  const seen = since.filter(isLearned);
  const other = seen.findLastIndex((one) => keyOf(one) !== key);
  return seen.slice(other + 1);
}

/** Whether a learned reading counts: `absent` and what may pass needs an earlier equal one an hour before. */
function isCounted(all: readonly Dated[], at: number): boolean {
  const one = all[at] as Dated;
  if (!isLearned(one)) return false;
  const isUnsure = one.outcome === 'absent' || one.mayPass;
  const learned = all.slice(0, at).filter((other, index) => isLearned(other) && isCounted(all, index));
  const last = learned.at(-1);
  if (!isUnsure || !last || keyOf(last) === keyOf(one)) return true;
  const run = runBefore(all.slice(all.lastIndexOf(last) + 1, at), keyOf(one));
  return run[0] !== undefined && isHourLater(run[0], one);
}

const toTexts = (all: readonly State[]) => all.map((one) => `${keyOf(one)} ${one.from} ${one.to}`);
const learnedOnly = (all: readonly State[]) => all.filter((one) => isLearned(one) || one.isSilence);

describe('a timeline', () => {
  it.each([false, true])('has the states that its readings have (reach: %s)', (reach) => {
    fc.assert(
      fc.property(readings, (all) => {
        expect(toTexts(learnedOnly(states(toSpans(all), { reach })))).toEqual(statesOf(all, reach));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each([false, true])('as of a time is the timeline of the readings until then (reach: %s)', (reach) => {
    fc.assert(
      fc.property(readings, fc.integer({ min: 0, max: 1200 }), (all, hours) => {
        const at = new Date(Date.UTC(2026, 0, 1, 20) + hours * hour_ms).toISOString();
        const checks = all.map((one) => Date.parse(one.at));
        const then = toSpans(all.filter((one) => one.at <= at));
        const cut = until(toSpans(all), at, checks);
        expect(standing(cut, { reach })).toEqual(standing(then, { reach }));
        expect(changes(cut, { reach })).toEqual(changes(then, { reach }));
      }),
      { numRuns: 10_000 },
    );
  });

  it('as of a time knows the last check before it, and nothing where what stood is not stored', () => {
    const read = {
      value: 'a',
      outcome: 'seen',
      method_version: 'x/1',
      source: 'Dossier',
      vantage: 'here',
    } as const;
    const span = { ...read, from: '2026-01-01', to: '2026-01-09', checks: 9 };
    const stored = ['2026-01-04', '2026-01-05', '2026-01-09'].map((day) => Date.parse(day));
    expect(until([span], '2026-01-06', stored)).toMatchObject([{ to: '2026-01-05T00:00:00.000Z' }]);
    expect(until([span], '2026-01-03', stored)).toMatchObject([{ to: '2026-01-03', beyond: true }]);
    const later = { ...span, value: 'b', from: '2026-02-01', to: '2026-02-02' };
    const spans = [{ ...span, folded: 2 }, later];
    expect([until(spans, '2026-01-20', []), until(spans, '2026-02-02', [])]).toMatchObject([[], [{}, {}]]);
    expect(between(spans, ['2026-01-20', '2026-02-02'], [])).toBeUndefined();
  });

  it('differs between two times exactly if what stood then differs', () => {
    fc.assert(
      fc.property(readings, fc.nat(1200), fc.nat(1200), (all, first, second) => {
        const [from = '', to = ''] = [first, second]
          .sort((a, b) => a - b)
          .map((hours) => new Date(Date.UTC(2026, 0, 1, 20) + hours * hour_ms).toISOString());
        const checks = all.map((one) => Date.parse(one.at));
        const [was, is] = [from, to].map((at) => standing(toSpans(all.filter((one) => one.at <= at)))?.state);
        const isOther = is && (!was || (keyOf(was) !== keyOf(is) && (isLearned(was) || isLearned(is))));
        const spans = toSpans(all);
        expect(between(spans, [from, to], checks) !== undefined).toBe(isOther ?? false);
      }),
      { numRuns: 300 },
    );
  });

  it('differs by a value that was last seen when the last reading before the other saw it', () => {
    const daily = readings.map((all) => [...all, ...all].map((one, day) => ({ ...one, at: onDay(day) })));
    fc.assert(
      fc.property(daily, fc.nat(50), fc.nat(50), (all, first, second) => {
        const [from = '', to = ''] = [first, second].sort((a, b) => a - b).map(onDay);
        const checks = all.map((one) => Date.parse(one.at));
        const spans = toSpans(all);
        const { was, is } = between(spans, [from, to], checks) ?? {};
        fc.pre(was !== undefined && is !== undefined);
        const seen = all.findLast((one) => one.at < is.from && keyOf(one) === keyOf(was));
        expect(was.to).toBe(seen?.at);
      }),
      { numRuns: 300 },
    );
  });

  it('says of each change two values that differ, and the readings on both sides of it', () => {
    fc.assert(
      fc.property(readings, (all) => {
        for (const { was, is } of changes(toSpans(all))) {
          expect(keyOf(was)).not.toBe(keyOf(is));
          const seen = (state: State, at: string) =>
            all.some((one) => one.at === at && keyOf(one) === keyOf(state));
          expect([seen(was, was.to), seen(is, is.from)]).toEqual([true, true]);
          expect(was.to < is.from).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
