import type { Context } from '../../context.ts';
import { dayText } from '../../core/text.ts';
import { fromDayToDay, join, say, toText, type Words } from '../../core/words.ts';
import { priceOffers } from '../../observations/kinds/prices/offers.ts';
import { kindOf } from '../../observations/kinds.ts';
import type { StoredObservation } from '../../observations/observation.ts';
import type { ListingFacts } from '../record.ts';
import { factWords } from '../seen.ts';
import { unique } from '../words.ts';
import { topicWords } from './history.ts';
import { type HistoryKind, isChanged } from './history-events.ts';

const mostNamed = 4;
const longestValue = 80;
const mostChanges = 100;

/** Returns undefined if there are too many changes to read. */
async function changedSince(handle: string, from: string, { store }: Pick<Context, 'store'>) {
  const rows = await store.observations.history(handle, { limit: mostChanges });
  const isAll = rows.length < mostChanges || (rows.at(-1)?.at ?? '') < from;
  const changes = rows.filter(({ at }) => at > from).flatMap((one) => one.changes);
  return isAll ? new Set(changes.filter(isChanged).map(({ kind }) => kind)) : undefined;
}

/** The kinds on which callers rely (`isLocked`) and of which the last check saw every fact as a whole. */
function relied(observations: readonly StoredObservation[], question: HistoryKind | undefined) {
  const last = observations.reduce((day, { observed_at }) => (observed_at > day ? observed_at : day), '');
  const isSeen = ({ outcome, missed, observed_at }: StoredObservation) =>
    outcome === 'seen' && !missed && observed_at === last;
  // Of the places that may state a price, few do.
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
 * A check that did not see a fact is ignored for that fact. Returns undefined if nothing is known to be
 * unchanged, or if all checks that count were on one day.
 */
export async function unchangedWords(
  { listing, observed }: Pick<ListingFacts, 'listing' | 'observed'>,
  {
    since = '',
    kind: question,
  }: { readonly since?: string | undefined; readonly kind?: HistoryKind | undefined },
  context: Pick<Context, 'store'>,
): Promise<Words | undefined> {
  const { kinds, last } = relied(observed?.observations ?? [], question);
  const [first = last] = kinds.flatMap(({ facts }) => facts.map((one) => one.first_seen_at)).toSorted();
  const from = since > first ? since : first;
  if (dayText(from) >= dayText(last)) return undefined;
  const changed = await changedSince(listing.handle, from, context);
  const same = kinds.filter(
    ({ kind, facts }) => changed?.has(kind.kind) === false && facts.every((one) => one.first_seen_at <= from),
  );
  if (same.length === 0) return undefined;
  const named = same.slice(0, mostNamed).map(sameWords);
  const more = same.length > mostNamed ? say` and ${same.length - mostNamed} more` : say``;
  return say`Unchanged ${fromDayToDay(from, last)}, in each check that saw the fact: ${join(named, '; ')}${more}.`;
}
