import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { dayText, lastOf } from '../../core/text.ts';
import {
  code,
  count,
  dayOf,
  fromDayToDay,
  isEmpty,
  join,
  listed,
  own,
  say,
  toText,
  type Words,
} from '../../core/words.ts';
import {
  endedWords,
  isLearnedOutcome,
  isUnanswered,
  type Outcome,
} from '../../observations/asked/outcome.ts';
import { endpointAnswers, endpointAvailability } from '../../observations/known/kinds/endpoint.ts';
import { kindOf } from '../../observations/known/kinds.ts';
import type { StoredObservation } from '../../observations/known/observation.ts';
import { priceOffers } from '../../observations/known/prices/offers.ts';
import { placeBelow } from '../../observations/known/recording.ts';
import { failedOnWords } from '../../observations/known/timeline/tally.ts';
import { keyOf, type Timeline } from '../../observations/known/timeline/timeline.ts';
import type { ListingFacts } from '../record.ts';
import { unique } from '../words.ts';
import { topicWords } from './history.ts';
import type { HistoryKind, HistoryQuery } from './history-events.ts';

const mostNamed = 4;
const longestValue = 80;

/** Callers rely on these (`isLocked`), and the last check saw every fact of them whole. */
function relied(observations: readonly StoredObservation[], question: HistoryKind | undefined) {
  const last = lastOf(observations.map(({ observed_at }) => observed_at)) ?? '';
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

/** Undefined if the facts say different things, or much. */
function saidByAll(said: readonly Words[]): Words | undefined {
  const [words, ...others] = unique(said);
  return words && others.length === 0 && toText(words).length <= longestValue ? words : undefined;
}

/** What a fact says as a whole, and then what of it is the same since an earlier day. */
function sameIn(
  { kind, facts }: ReturnType<typeof relied>['kinds'][number],
  observations: readonly StoredObservation[],
) {
  const ofKind = observations.filter((one) => one.kind === kind.kind);
  // Of a list whose members are no longer stored, only the digest is.
  const value = saidByAll(facts.flatMap((one) => kind.say(one) ?? []));
  const whole = {
    since: lastOf(ofKind.map((one) => one.same.since)) ?? '',
    words: value ? say`${topicWords(kind)}: ${value}` : topicWords(kind),
  };
  const [first] = facts;
  const parts = Object.keys(first?.parts ?? {}).flatMap((name) => {
    const since = lastOf(facts.map((one) => (one.parts?.[name] ?? one.same).since)) ?? '';
    const words = saidByAll(facts.flatMap((one) => kind.partsOf?.(one)?.[name]?.words ?? []));
    return words && since < whole.since ? [{ since, words }] : [];
  });
  return [whole, ...parts];
}

/**
 * A check that did not see a fact is ignored for it. Undefined if nothing is known to be unchanged, or if all
 * checks that count were on one day, and none was before the time that is asked for.
 */
export function unchangedWords(
  { observed }: Pick<ListingFacts, 'observed'>,
  { since = '', kind: question }: Pick<HistoryQuery, 'since' | 'kind'>,
): Words | undefined {
  const { observations = [] } = observed ?? {};
  const { kinds, last } = relied(observations, question);
  const all = kinds.map((one) => sameIn(one, observations));
  const [first = last] = all.flatMap((some) => some.map((one) => one.since)).toSorted();
  const from = since > first ? since : first;
  if (from > last || (since <= first && dayText(from) === dayText(last))) return undefined;
  const same = all.flatMap((some) => {
    const held = some.filter((one) => one.since <= from);
    return held.slice(0, held[0] === some[0] ? 1 : undefined).map(({ words }) => words);
  });
  if (same.length === 0) return undefined;
  const more = same.length > mostNamed ? say`; and ${count(same.length - mostNamed, 'more fact')}` : say``;
  return say`Unchanged ${fromDayToDay(from, last)}, in each check that saw the fact: ${join(same.slice(0, mostNamed), '; ')}${more}.`;
}

const isSeen = ({ outcome, value }: Timeline['spans'][number]) => outcome === 'seen' && value !== null;

/**
 * Of an endpoint that took the place of another in the record: what its first readings and the last ones of
 * the other have in common, and where the other led. Undefined unless one took the place of one.
 */
export async function movedWords(
  { listing: { handle }, observed }: ListingFacts,
  { until = observed?.observed_at ?? '', kind: question, since = '' }: Omit<HistoryQuery, 'limit'>,
  { store }: Pick<Context, 'store'>,
): Promise<Words | undefined> {
  const now = await store.observations.until(handle, until);
  const ofEndpoint = (all: readonly Timeline[]) => all.filter(({ kind }) => kind === endpointAnswers.kind);
  const first = ({ spans }: Timeline) => spans[0]?.from ?? '';
  const at = lastOf(ofEndpoint(now).map(first)) ?? '';
  if (at === '' || at < since) return undefined;
  const then = await store.observations.until(handle, new Date(Date.parse(at) - 1).toISOString());
  const keys = new Set(now.map(keyOf));
  const left = then.filter((one) => !keys.has(keyOf(one)));
  const [old, ...others] = ofEndpoint(left);
  const [present, ...rest] = ofEndpoint(now).filter((one) => first(one) === at);
  if (!old || !present || others.length + rest.length > 0) return undefined;
  const pairs = now.flatMap((one) => {
    const kind = kindOf(one.kind);
    const was = left.find((other) => other.kind === one.kind && placeBelow(other) === placeBelow(one));
    const before = was?.spans.findLast(isSeen);
    const is = one.spans.find(isSeen);
    const isAsked = question === undefined || kind?.question === question;
    if (!kind?.isLocked || !isAsked || is?.from !== at || is.method_version !== before?.method_version)
      return [];
    const isSame = isDeepStrictEqual([is.value, is.value_digest], [before.value, before.value_digest]);
    return { words: topicWords(kind), isSame };
  });
  const named = (isSame: boolean) =>
    listed(unique(pairs.filter((one) => one.isSame === isSame).map(({ words }) => words)));
  const from = code(old.subject ?? '');
  const to = code(present.subject ?? '');
  const saw = (what: Words, words: Words) =>
    isEmpty(words)
      ? []
      : say`On ${dayOf(at)}, the first check of ${to} saw ${what} the last one of ${from} that saw it: ${words}.`;
  const led = old.spans.findLast(({ response }) => response?.redirects_to);
  const isOfReach = question === undefined || question === endpointAnswers.question;
  const said = [
    saw(own('the same as'), named(true)),
    saw(own('something other than'), named(false)),
    led && isOfReach
      ? say`On ${dayOf(led.to)}, ${from} redirected to the host ${code(led.response?.redirects_to ?? '')}.`
      : [],
  ].flat();
  return said.length === 0 ? undefined : join([say`The record moved from ${from} to ${to}.`, ...said], ' ');
}

export const isUntold = (outcome?: Outcome): boolean => outcome === 'not_asked' || outcome === 'refused';

const mostUntold = 10;

/** A failed check is no change, nor is one that could not tell, unless all since are told of all facts. */
export async function failedWords(
  { since = '', kind, until, isOther }: Omit<HistoryQuery, 'limit'>,
  { listing, observed }: ListingFacts,
  { store }: Context,
): Promise<Words | undefined> {
  if (kind !== undefined && kind !== endpointAvailability.question) return undefined;
  const tallies = observed?.observations.flatMap(({ tally }) => (tally ? [tally] : [])) ?? [];
  const read = await store.observations.until(listing.handle, until ?? observed?.observed_at ?? '');
  const reach = read.filter((one) => one.kind === endpointAnswers.kind && !isOther?.(one));
  const failed = reach.flatMap(({ spans }) =>
    spans.filter(({ outcome, why }) => isUnanswered(outcome) && why),
  );
  const reasonsOn = (on: string) =>
    failed.filter(({ from, to }) => dayText(from) <= on && on <= dayText(to)).map(endedWords);
  const failedOn = failedOnWords(tallies, since && dayText(since), reasonsOn);
  const untold = reach.flatMap(({ spans }) => {
    const learned = spans.findLastIndex(({ outcome }) => isLearnedOutcome(outcome));
    return spans
      .filter(({ outcome, to }, at) => at < learned && to >= since && isUntold(outcome))
      .slice(-mostUntold);
  });
  const told = untold.map(
    (one) =>
      say`Checks ${fromDayToDay(one.from, one.to)} could not tell whether the endpoint answers: ${endedWords(one)}.`,
  );
  const said = join([failedOn, ...told], ' ');
  return isEmpty(said) ? undefined : said;
}
