import { day_ms } from '../core/text.ts';
import { count, day, isEmpty, join, own, say, type Words } from '../core/words.ts';

/** How a check that is counted ended: it was answered, or in one of these classes of failure. */
const endWords = {
  answered: own('answered'),
  no_answer_in_time: own('no answer in time'),
  no_connection: own('no connection'),
  broken_off: own('a connection that broke off'),
  invalid_certificate: own('invalid certificate'),
  server_error: own('server error'),
  too_many_requests: own('too many requests'),
  other_answer: own('something else returned'),
  not_there: own('not there'),
} as const;
export type CheckEnd = keyof typeof endWords;

/** How many checks of each day (UTC) ended how. */
export type Tally = Readonly<Record<string, Readonly<Partial<Record<CheckEnd, number>>>>>;

const longest_days = 90;

/** The days of a tally from which on a window of this length that ends at a time counts. */
const within = (tally: Tally, at: string, days: number): Tally => {
  const from = new Date(Date.parse(at) - (days - 1) * day_ms).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(tally).filter(([day]) => day >= from));
};

/** A tally with one more check; days before the longest window are left out. */
export function addCheck(tally: Tally, at: string, ended: CheckEnd): Tally {
  const day = at.slice(0, 10);
  const { [ended]: before = 0, ...others } = tally[day] ?? {};
  return { ...within(tally, at, longest_days), [day]: { ...others, [ended]: before + 1 } };
}

function toWindow(tally: Tally, at: string, days: number) {
  const sums: Partial<Record<CheckEnd, number>> = {};
  for (const ofDay of Object.values(within(tally, at, days)))
    for (const [ended, times] of Object.entries(ofDay) as [CheckEnd, number][])
      sums[ended] = (sums[ended] ?? 0) + times;
  const { answered = 0, ...others } = sums;
  const made = Object.values(sums).reduce((sum, times) => sum + times, 0);
  return { days, made, answered, others };
}

const toSaid = ({ days, made, answered, others }: ReturnType<typeof toWindow>): Words => {
  const failed = join(
    (Object.entries(others) as [CheckEnd, number][]).map(
      ([ended, times]) => say`${endWords[ended]} ${times}`,
    ),
    ', ',
  );
  const classes = isEmpty(failed) ? failed : say` (the others: ${failed})`;
  return say`${answered} of ${count(made, 'check')} in ${days} days ${made === 1 ? own('was') : own('were')} answered${classes}`;
};

/** What a tally says at the time of its newest check. */
export function toTallied(tally: Tally, at: string) {
  const [days_30, days_90] = [toWindow(tally, at, 30), toWindow(tally, at, longest_days)];
  const [first = at.slice(0, 10)] = Object.keys(tally).sort();
  return {
    value: `${days_30.answered} of ${days_30.made}`,
    why: say`On ${day(at)}, ${toSaid(days_30)}, and ${toSaid(days_90)}. The first check that is counted was on ${day(first)}.`,
    details: { days_30, days_90, first_check: first },
  };
}
