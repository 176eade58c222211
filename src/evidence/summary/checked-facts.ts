import { isDated, knowingOf, type Observation } from '../observation/observation.ts';
import type { Question } from '../observation/question.ts';
import { firstFew } from '../text/first-few.ts';
import type { FactGroup } from './agent-summary.ts';

const day = (time: string) => time.slice(0, 10);
const longest = 120;

const short = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
/** A value as it is; with its state where that is not plainly observed, and the reason if it has one. */
function stated({ value, state, reason }: Observation): string | number | boolean {
  const shown = typeof value === 'string' ? short(value) : (value ?? '');
  const how = [...(state === 'observed' ? [] : [state.replaceAll('_', ' ')]), ...(reason ? [reason] : [])];
  return how.length > 0 ? `${shown} (${how.join('; ')})` : shown;
}

/** The value of one kind: as it is where there is one, a short list with what each is about where there are several. */
function factOf(observations: readonly Observation[]): FactGroup['facts'][string] {
  const values = observations.map((one) => ({ subject: one.subject, value: stated(one) }));
  const different = new Set(values.map(({ value }) => value));
  if (different.size === 1) return values[0]?.value ?? '';
  return firstFew(values.map(({ value, subject }) => `${value} (${subject ?? 'no subject'})`));
}

/** What was checked that helps to answer a question: one group for each source and pair of dates. */
export function checkedFacts(observations: readonly Observation[], question: Question): FactGroup[] {
  const known = observations
    .filter(isDated)
    .filter((one) => one.question === question && knowingOf(one) === 'known');
  const groups = Map.groupBy(known, ({ source, observed_at, first_seen_at }) =>
    JSON.stringify([source, day(observed_at), day(first_seen_at)]),
  );
  return [...groups].map(([key, ofGroup]) => {
    const [source = '', as_of = '', since = ''] = JSON.parse(key) as string[];
    const kinds = Map.groupBy(ofGroup, ({ kind }) => kind);
    return {
      question,
      source,
      as_of,
      ...(since < as_of && { since }),
      facts: Object.fromEntries([...kinds].map(([kind, ofKind]) => [kind, factOf(ofKind)])),
    };
  });
}
