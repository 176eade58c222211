import { dayText } from '../../core/text.ts';
import { fromDayToDay, join, say, toText, type Words } from '../../core/words.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { StoredObservation } from '../../observations/known/observation.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import type { ListingFacts } from '../record.ts';
import { factWords } from '../seen.ts';
import { unique } from '../words.ts';
import { topicWords } from './history.ts';
import type { HistoryKind } from './history-events.ts';

const mostNamed = 4;
const longestValue = 80;

/** Callers rely on these (`isLocked`), and the last check saw every fact of them whole. */
function relied(observations: readonly StoredObservation[], question: HistoryKind | undefined) {
  const last = observations.reduce((day, { observed_at }) => (observed_at > day ? observed_at : day), '');
  const isSeen = ({ outcome, missed, observed_at }: StoredObservation) =>
    outcome === 'seen' && !missed && observed_at === last;
  // Few of the places that may state a price do.
  const stated = observations.filter(({ kind, value }) => kind !== priceOffers.kind || value !== null);
  const kinds = [...Map.groupBy(stated, ({ kind }) => kind)].flatMap(([name, facts]) => {
    const kind = kindOf(name);
    const isAsked = kind?.isLocked && (question === undefined || kind.question === question);
    return kind && isAsked && facts.every(isSeen) ? [{ kind, facts }] : [];
  });
  return { kinds, last };
}

function sameWords({ kind, facts }: ReturnType<typeof relied>['kinds'][number]): Words {
  const [value, ...others] = unique(facts.map((one) => factWords(one)));
  const isShort = value !== undefined && others.length === 0 && toText(value).length <= longestValue;
  return isShort ? say`${topicWords(kind)}: ${value}` : topicWords(kind);
}

/**
 * A check that did not see a fact is ignored for it. Undefined if nothing is known to be unchanged, or if all
 * checks that count were on one day.
 */
export function unchangedWords(
  { observed }: Pick<ListingFacts, 'observed'>,
  {
    since = '',
    kind: question,
  }: { readonly since?: string | undefined; readonly kind?: HistoryKind | undefined },
): Words | undefined {
  const { observations = [] } = observed ?? {};
  const { kinds, last } = relied(observations, question);
  const [first = last] = kinds.flatMap(({ facts }) => facts.map((one) => one.first_seen_at)).toSorted();
  const from = since > first ? since : first;
  if (dayText(from) >= dayText(last)) return undefined;
  const changed = new Set(observations.filter((one) => one.first_seen_at > from).map((one) => one.kind));
  const same = kinds.filter(({ kind }) => !changed.has(kind.kind));
  if (same.length === 0) return undefined;
  const named = same.slice(0, mostNamed).map(sameWords);
  const more = same.length > mostNamed ? say` and ${same.length - mostNamed} more` : say``;
  return say`Unchanged ${fromDayToDay(from, last)}, in each check that saw the fact: ${join(named, '; ')}${more}.`;
}
