import { toShownValue } from '../kinds/recorded/kind-of.ts';
import { isDated, knowingOf, type Observation, stateWords } from '../observation/observation.ts';
import type { Question } from '../observation/question.ts';
import { firstFew } from '../text/first-few.ts';
import { named } from '../text/markdown-text.ts';
import type { FactGroup } from './agent-summary.ts';

const day = (time: string) => time.slice(0, 10);
const longest = 120;

const short = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
/** A value as it is; with its state where that is not plainly observed, and the reason if it has one. */
function stated({ kind, value, state, reason }: Observation): string | number | boolean {
  const shown = typeof value === 'string' ? toShownValue(kind, short(value)) : (value ?? '');
  const how = [...(state === 'observed' ? [] : [stateWords[state]]), ...(reason ? [reason] : [])];
  return how.length > 0 ? `${shown} (${how.join('; ')})` : shown;
}

/** The value of one kind: as it is where there is one, a short list with what each is about where there are several. */
function factOf(observations: readonly Observation[]): FactGroup['facts'][string] {
  const [first] = observations;
  if (first && observations.length === 1) return stated(first);
  const bySubject = Map.groupBy(observations, stated);
  return firstFew(
    [...bySubject].map(
      ([value, same]) =>
        `${value} (${firstFew(same.map(({ subject }) => (subject === undefined ? 'no subject' : named(subject)))).join(', ')})`,
    ),
  );
}

/** What was checked that helps to answer a question: one group for each source, pair of dates, and place that it was seen at. */
export function checkedFacts(observations: readonly Observation[], question: Question): FactGroup[] {
  const known = observations
    .filter(isDated)
    .filter((one) => one.question === question && knowingOf(one) === 'known');
  const isAlone = ({ kind }: Observation) => known.filter((one) => one.kind === kind).length === 1;
  // What was seen at several places names each of them itself.
  const placeOf = (one: Observation) => (isAlone(one) ? (one.subject ?? '') : '');
  const groups = Map.groupBy(known, (one) =>
    JSON.stringify([one.source, day(one.observed_at), day(one.first_seen_at), placeOf(one)]),
  );
  return [...groups].map(([key, ofGroup]) => {
    const [source = '', as_of = '', since = '', at = ''] = JSON.parse(key) as string[];
    const kinds = Map.groupBy(ofGroup, ({ kind }) => kind);
    return {
      question,
      source,
      ...(at && { at }),
      as_of,
      ...(since < as_of && { since }),
      facts: Object.fromEntries([...kinds].map(([kind, ofKind]) => [kind, factOf(ofKind)])),
    };
  });
}
