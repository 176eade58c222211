import { day_ms, dayText } from '../../core/text.ts';
import { code, count, dayOf, listed, say, type Words } from '../../core/words.ts';
import type { Observation } from '../../observations/known/observation.ts';
import { answeredWords, madeOn, type Tally } from '../../observations/known/timeline/tally.ts';

/** Of one endpoint, in UTC. */
export type DayOfChecks = ReturnType<typeof toDays>[number];

export const shownDays = 90;

/** So many days, of which `today` is the last: what a clock that was ahead counted later is left out. */
export function toDays(tally: Tally, today: string, days = shownDays) {
  const last_ms = Date.parse(today);
  return Array.from({ length: days }, (_, at) => {
    const day = dayText(new Date(last_ms - (days - 1 - at) * day_ms));
    const counted = tally[day] ?? {};
    return { day, made: madeOn(counted), answered: counted.answered ?? 0 };
  });
}

export const dayWords = ({ day, made, answered }: DayOfChecks): Words =>
  made === 0
    ? say`${dayOf(day)}: no check counted`
    : say`${dayOf(day)}: ${answered} of ${count(made, 'check')} answered`;

const mostFailed = 3;

const checksOn = (days: readonly DayOfChecks[], name: 'answered' | 'made'): number =>
  days.reduce((sum, one) => sum + one[name], 0);

/** Undefined if none of the days has a check. */
export function daysWords(endpoint: string, days: readonly DayOfChecks[]): Words | undefined {
  const asked = days.filter(({ made }) => made > 0);
  const last = days.at(-1);
  if (asked.length === 0 || !last) return undefined;
  const failed = asked
    .filter((one) => one.answered < one.made)
    .toReversed()
    .map((one) => say`${dayOf(one.day)} (${one.answered} of ${one.made})`);
  const but = failed.length > 0 && say`; not all answered on ${listed(failed, mostFailed)}`;
  return say`${code(endpoint)} answered ${checksOn(asked, 'answered')} of ${count(checksOn(asked, 'made'), 'check')} of Dossier, made on ${asked.length} of the ${days.length} days until ${dayOf(last.day)} (UTC)${but}.`;
}

/** Of 30 days, beside a small picture. */
export const shortDaysWords = (days: readonly DayOfChecks[]): Words =>
  say`answered ${answeredWords({ answered: checksOn(days, 'answered'), made: checksOn(days, 'made') })} until ${dayOf(days.at(-1)?.day ?? '')}`;

/** Undefined if no check saw a change. */
export function changedFactsWords(facts: readonly Pick<Observation, 'changed_from'>[]): Words | undefined {
  const days = facts.flatMap(({ changed_from }) => changed_from?.seen_from ?? []).sort();
  const last = days.at(-1);
  return last === undefined
    ? undefined
    : say`${count(days.length, 'checked fact')} changed, the newest value first seen on ${dayOf(last)}`;
}
