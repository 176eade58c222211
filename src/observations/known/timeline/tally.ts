import { z } from 'zod';
import { day_ms, dayText } from '../../../core/text.ts';
import {
  code,
  count,
  day,
  fromDayToDay,
  isEmpty,
  join,
  listed,
  own,
  say,
  toText,
  type Words,
} from '../../../core/words.ts';

const endWords = {
  answered: own('answered'),
  no_answer_in_time: own('no answer in time'),
  no_connection: own('no connection'),
  broken_off: own('a connection that broke off'),
  invalid_certificate: own('invalid certificate'),
  server_error: own('server error'),
  other_answer: own('something else returned'),
  not_there: own('not there'),
} as const;
export type CheckEnd = keyof typeof endWords;
const ends = Object.keys(endWords) as CheckEnd[];

/** Before 2026-12, checks that were asked to wait were stored too. */
export const madeOn = (ofDay: Tally[string]): number =>
  ends.reduce((sum, ended) => sum + (ofDay[ended] ?? 0), 0);

/** By day (UTC). */
export type Tally = Readonly<Record<string, Readonly<Partial<Record<CheckEnd, number>>>>>;

const longest_days = 90;
/** The windows of each of the last 90 days can be counted. */
const stored_days = 2 * longest_days;

const within = (tally: Tally, at: string, days: number): Tally => {
  const from = dayText(new Date(Date.parse(at) - (days - 1) * day_ms));
  return Object.fromEntries(Object.entries(tally).filter(([day]) => day >= from));
};

export function addCheck(tally: Tally, at: string, ended: CheckEnd): Tally {
  const day = dayText(at);
  const { [ended]: before = 0, ...others } = tally[day] ?? {};
  return { ...within(tally, at, stored_days), [day]: { ...others, [ended]: before + 1 } };
}

const window = z.strictObject({
  answered: z.number(),
  made: z.number(),
  others: z.partialRecord(z.enum(ends), z.number()),
});

/** `first_check` is the day of the first check of the 90 days. */
export const tallied = z.strictObject({ days_30: window, days_90: window, first_check: z.string() });
export type Tallied = z.infer<typeof tallied>;

function toWindow(tally: Tally, at: string, days: number) {
  const others: Partial<Record<CheckEnd, number>> = {};
  for (const ofDay of Object.values(within(tally, at, days)))
    for (const ended of ends) if (ofDay[ended]) others[ended] = (others[ended] ?? 0) + ofDay[ended];
  const made = Object.values(others).reduce((sum, times) => sum + times, 0);
  const { answered = 0, ...rest } = others;
  return { answered, made, others: rest };
}

export function toTallied(tally: Tally, at: string): Tallied {
  const [first_check = dayText(at)] = Object.keys(within(tally, at, longest_days)).sort();
  return { days_30: toWindow(tally, at, 30), days_90: toWindow(tally, at, longest_days), first_check };
}

/** `3 of 4 checks in 30 days` */
export const answeredWords = ({ answered, made }: Pick<Tallied['days_30'], 'answered' | 'made'>): Words =>
  say`${answered} of ${made} checks in 30 days`;

export const failedWords = ({ others }: Tallied['days_30']): Words =>
  join(
    ends.flatMap((ended) => (others[ended] ? [say`${endWords[ended]} ${count(others[ended], 'time')}`] : [])),
    ', ',
  );

export const countSince = (tally: Tally, since: string): number =>
  Object.entries(tally)
    .filter(([on]) => on >= since)
    .reduce((sum, [, ofDay]) => sum + madeOn(ofDay), 0);

const mostCounted = 3;

/** Of a period, failed or not; undefined if it begins before the days that are kept. */
export function countedWords(
  all: readonly { readonly tally?: Tally | undefined; readonly subject?: string | undefined }[],
  [since, until]: readonly [string, string],
  now: string,
): Words | undefined {
  const from = dayText(since);
  if (from < dayText(new Date(Date.parse(now) - (stored_days - 1) * day_ms))) return undefined;
  const each = all.flatMap(({ tally, subject = '' }) => {
    if (!tally) return [];
    const days = Object.entries(tally).filter(([on]) => on >= from && on <= dayText(until));
    const answered = days.reduce((sum, [, { answered: times = 0 }]) => sum + times, 0);
    const made = countSince(Object.fromEntries(days), from);
    return [say`${code(subject)} answered ${answered} of ${made}`];
  });
  return each.length === 0
    ? undefined
    : say`Of the checks ${fromDayToDay(since, until)} that could tell whether an endpoint answers, ${listed(each, mostCounted)}; between checks nothing is known.`;
}

/** The newest first, with the reasons that readings of the day have, or else with how its checks ended. */
function failedDays(tallies: readonly Tally[], since: string, reasonsOn: (day: string) => readonly Words[]) {
  const days = tallies.flatMap((tally) => Object.entries(tally)).filter(([on]) => on >= since);
  const failed = days.flatMap(([on, ofDay]) =>
    ends.filter((ended) => ended !== 'answered' && ofDay[ended]).map((ended) => ({ on, ended })),
  );
  return [...Map.groupBy(failed, ({ on }) => on)]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([on, some]) => {
      const reasons = reasonsOn(on);
      const said = reasons.length > 0 ? reasons : some.map(({ ended }) => endWords[ended]);
      const how = new Map(said.map((one) => [toText(one), one]));
      return { on, how: join([...how.values()], ', ') };
    });
}

interface FailedRun {
  readonly days: string[];
  readonly how: Words;
}

/** Days in a row that ended alike, from three on. */
function toRuns(days: ReturnType<typeof failedDays>): FailedRun[] {
  const all: FailedRun[] = [];
  for (const { on, how } of days) {
    const last = all.at(-1);
    const isNext = last && Date.parse(last.days.at(-1) ?? '') - Date.parse(on) === day_ms;
    if (isNext && toText(last.how) === toText(how)) last.days.push(on);
    else all.push({ days: [on], how });
  }
  return all.flatMap(({ days: some, how }) =>
    some.length > 2 ? [{ days: some, how }] : some.map((on) => ({ days: [on], how })),
  );
}

const mostRuns = 10;
const runWords = ({ days: [newest = '', ...others] }: FailedRun): Words =>
  others.length > 0 ? say`each day from ${day(others.at(-1) ?? '')} to ${day(newest)}` : say`${day(newest)}`;

/** Empty without a failed check. */
export function failedOnWords(...of: Parameters<typeof failedDays>): Words {
  const all = toRuns(failedDays(...of));
  const shown = all.slice(0, mostRuns);
  const rest = all.slice(mostRuns).flatMap(({ days }) => days);
  const more =
    rest.length > 0 && say`, and on ${count(rest.length, 'day')} before, the first ${day(rest.at(-1) ?? '')}`;
  const alike = [...Map.groupBy(shown, ({ how }) => toText(how)).values()];
  const [first] = shown;
  if (!first) return say``;
  const named = alike.map((same) => say`${listed(same.map(runWords))} (${same[0]?.how ?? say``})`);
  return alike.length === 1
    ? say`Checks of the endpoint failed on ${listed(shown.map(runWords))}: ${first.how}${more}.`
    : say`Checks of the endpoint failed on ${listed(named)}${more}.`;
}

function windowWords(window: Tallied['days_30']): Words {
  const { answered, made } = window;
  const failed = failedWords(window);
  return isEmpty(failed) ? say`${answered} of ${made}` : say`${answered} of ${made} (the others: ${failed})`;
}

export const talliedWords = ({ days_30, days_90, first_check }: Tallied): Words =>
  say`${windowWords(days_30)} in 30 days, ${windowWords(days_90)} in 90 days; the first of these checks was on ${day(first_check)}`;
