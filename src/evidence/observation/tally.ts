import { counted } from '../text/plural.ts';

/** How many checks of each day (UTC) ended in which way: `answered`, or a class of failure. */
export type Tally = Readonly<Record<string, Readonly<Record<string, number>>>>;

const day_ms = 86_400_000;
const windows_days = [30, 90] as const;
const longest_days = 90;

/** The days of a tally from which on a window of this length that ends at a time counts. */
const within = (tally: Tally, at: string, days: number): Tally => {
  const from = new Date(Date.parse(at) - (days - 1) * day_ms).toISOString().slice(0, 10);
  return Object.fromEntries(Object.entries(tally).filter(([day]) => day >= from));
};

/** A tally with one more check; days before the longest window are left out. */
export function addCheck(tally: Tally, at: string, ended: string): Tally {
  const day = at.slice(0, 10);
  const { [ended]: before = 0, ...others } = tally[day] ?? {};
  return { ...within(tally, at, longest_days), [day]: { ...others, [ended]: before + 1 } };
}

function toWindow(tally: Tally, at: string, days: number) {
  const sums: Record<string, number> = {};
  for (const ofDay of Object.values(within(tally, at, days)))
    for (const [ended, times] of Object.entries(ofDay)) sums[ended] = (sums[ended] ?? 0) + times;
  const { answered = 0, ...others } = sums;
  const made = Object.values(sums).reduce((sum, times) => sum + times, 0);
  return { days, made, answered, others };
}

const toWords = ({ days, made, answered, others }: ReturnType<typeof toWindow>) => {
  const failed = Object.entries(others).map(([ended, times]) => `${ended.replaceAll('_', ' ')} ${times}`);
  const classes = failed.length > 0 ? ` (the others: ${failed.join(', ')})` : '';
  return `${answered} of ${counted(made, 'check')} in the ${days} days up to that date${classes}`;
};

/** What a tally says at the time of its newest check. */
export function toTallied(tally: Tally, at: string) {
  const [days_30, days_90] = windows_days.map((days) => toWindow(tally, at, days)) as [
    ReturnType<typeof toWindow>,
    ReturnType<typeof toWindow>,
  ];
  const [first = at.slice(0, 10)] = Object.keys(tally).sort();
  return {
    value: `${days_30.answered} of ${days_30.made}`,
    reason: `On ${at.slice(0, 10)}: answered were ${toWords(days_30)}, and ${toWords(days_90)}. The first check that is counted was on ${first}.`,
    details: { days_30, days_90, first_check: first },
  };
}
