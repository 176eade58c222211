import { dayText } from '../../../core/text.ts';
import { ours, own, say, type Words } from '../../../core/words.ts';
import { surfaces } from '../../asked/endpoint/surface.ts';
import { isLearnedOutcome, isUnanswered, type Outcome } from '../../asked/outcome.ts';
import type { BeforeChange } from '../kind.ts';
import { kindOf, rulesOf, surfaceOf } from '../kinds.ts';
import type { EarlierChange, Observation, ObservationChange } from '../observation.ts';
import {
  changes as changesOf,
  essenceOf,
  isNews,
  isSame,
  isUnsure,
  keyOf,
  movesOf,
  rowsOf,
  type State,
  type StateChange,
  type StoredDifference,
  standing,
  states,
  type Timeline,
  turnsIn,
} from '../timeline/timeline.ts';
import type { ShownChange } from './history.ts';

const mostEarlier = 5;

type ChangedFrom = NonNullable<Observation['changed_from']>;

function differenceOf(kind: string, { difference }: State) {
  const surface = surfaceOf(kind);
  if (!difference || !surface)
    return difference && { difference: { ...difference, items: [...difference.items] } };
  const { items, counts } = difference as { items: { name: string }[]; counts: ChangedFrom['counts'] };
  return surface === surfaces.tools
    ? { tools: items.map(({ name: tool, ...one }) => ({ tool, ...one })) as ChangedFrom['tools'], counts }
    : { members: items as ChangedFrom['members'], counts };
}

export const toChangedFrom = (kind: string, { was, is }: StateChange): ChangedFrom => ({
  value: was.value,
  outcome: was.outcome,
  seen_until: was.to,
  seen_from: is.from,
  ...(was.value_digest && { value_digest: was.value_digest }),
  ...differenceOf(kind, is),
});

function toEarlier(kind: string, change: StateChange): EarlierChange {
  const { value, value_digest, details = {}, from: first_seen_at } = change.is;
  const counts = Object.entries(details).filter(([, one]) => typeof one === 'number');
  return {
    value,
    first_seen_at,
    changed_from: toChangedFrom(kind, change),
    ...(value_digest && { value_digest }),
    ...(counts.length > 0 && { details: Object.fromEntries(counts) }),
  };
}

export type ChangedFact = Pick<
  Observation,
  'kind' | 'subject' | 'value' | 'outcome' | 'value_digest' | 'details' | 'changed_from' | 'earlier_changes'
>;

type ToldChange = Pick<EarlierChange, 'value' | 'value_digest' | 'details'> & {
  readonly changed_from: BeforeChange & Pick<ChangedFrom, 'tools' | 'members'>;
};

/** Undefined if no sentence is needed. The end of a value is a change too. */
export function changeWords(
  { kind }: { readonly kind: string },
  { value, changed_from: from, ...more }: ToldChange,
  between: Words,
): Words | undefined {
  const { sayChange, say: sayValue, sayWas = sayValue, title, ended } = kindOf(kind) ?? {};
  const wasNone = from.outcome === 'nothing' || (from.outcome === 'absent' && ended !== undefined);
  if (!sayChange || (from.value === null && (value === null || !wasNone))) return undefined;
  if (value !== null) return sayChange(from, { ...more, value }, between);
  const was = typeof from.value === 'object' && sayWas?.({ value: from.value });
  return say`${ended ?? say`${ours(title ?? kind)} were no longer there`} (${between})${was ? say`: ${was}` : own('')}`;
}

function namedIn({ value, changed_from: { tools, members, difference, counts, ...from } }: EarlierChange) {
  const items: readonly unknown[] = tools ?? members ?? difference?.items ?? [[from.value, value]];
  const all = Object.values(difference?.counts ?? counts ?? {}).reduce((sum, one) => sum + one, 0);
  return [...items, ...(all > items.length ? [{ all }] : [])].map((one) => JSON.stringify(one));
}

/** What an endpoint asks first has a fact of its own. */
const hasEnded = (kind: string, outcome: Outcome) =>
  outcome === 'nothing' || (outcome === 'absent' && kindOf(kind)?.weighChange !== undefined);

const isTold = (kind: string, { is }: StateChange, said: EarlierChange) =>
  (is.value !== null || hasEnded(kind, is.outcome)) && changeWords({ kind }, said, own('')) !== undefined;

/**
 * The weightiest first, then those that name what changed most seldom. A change whose members later ones name
 * is left out, so that what changes at each check hides nothing.
 */
export function tellingChanges(
  kind: string,
  all: readonly StateChange[],
  last?: StateChange,
): { readonly change: StateChange; readonly said: EarlierChange }[] {
  const { weighChange } = kindOf(kind) ?? {};
  if (!weighChange) return [];
  const found = all
    .map((change) => ({ change, said: toEarlier(kind, change) }))
    .filter(({ change, said }) => change === last || isTold(kind, change, said))
    .map((one) => ({ ...one, named: namedIn(one.said) }))
    .toReversed();
  const times = Map.groupBy(
    found.flatMap(({ named }) => named),
    (one) => one,
  );
  const told = new Set<string>();
  return found
    .filter(({ change, named }) => {
      const isNew = named.some((one) => !told.has(one));
      for (const one of named) told.add(one);
      return isNew && change !== last;
    })
    .map((one) => ({
      ...one,
      weight: weighChange(one.said.changed_from, one.said),
      times: Math.min(...one.named.map((name) => times.get(name)?.length ?? 0)),
    }))
    .sort((a, b) => b.weight - a.weight || a.times - b.times)
    .slice(0, mostEarlier);
}

/** The weightiest first; the last that led to what stands ends them. */
export function toldChanges(fact: ChangedFact): EarlierChange[] {
  const { kind, value, outcome, value_digest, details, changed_from, earlier_changes = [] } = fact;
  if (!changed_from || (value === null && !hasEnded(kind, outcome))) return [...earlier_changes];
  const last = {
    value,
    first_seen_at: changed_from.seen_from,
    changed_from,
    ...(value_digest && { value_digest }),
    ...(details && { details }),
  };
  return changeWords({ kind }, last, own('')) ? [...earlier_changes, last] : [...earlier_changes];
}

export interface FoundDifference extends StoredDifference {
  readonly shown: readonly object[];
}

export type Differences = ReadonlyMap<string, FoundDifference>;

function recordedFact({ details, isSilence, why, silentWhy = isSilence ? undefined : why, ...fact }: State) {
  const said = isUnanswered(fact.outcome) && silentWhy && { why: silentWhy };
  return { ...essenceOf(fact), ...(details && { details }), ...said };
}

/** Without `was`, the fact was seen for the first time. */
export function toFactChange(
  { kind, subject }: Pick<Timeline, 'kind' | 'subject'>,
  was: State | undefined,
  is: State,
): ObservationChange {
  const areLearned = was && isLearnedOutcome(was.outcome) && isLearnedOutcome(is.outcome);
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(was && {
      before: {
        ...recordedFact(was),
        seen_until: was.to,
        ...(areLearned && was.method_version !== is.method_version && { by_other_method: true as const }),
      },
    }),
    ...(was && is.from < is.to && { since: is.from }),
    ...(was && isUnsure(is) && is.confirmed && { confirmed_at: is.confirmed }),
    after: recordedFact(is),
  };
}

export function toChange(
  known: Timeline | undefined,
  now: Timeline,
  differences: Differences,
): ObservationChange | undefined {
  const was = known && standing(known.spans, rulesOf(known));
  const is = standing(now.spans, rulesOf(now))?.state;
  if (now.tally || !is || !isNews(was?.state, is)) return undefined;
  const all = changesOf(now.spans, rulesOf(now));
  const last = all.at(-1);
  const row = rowTo(now, is);
  if (row.length > mostEntries) return undefined;
  const before = last && last.is.from === is.from && isSame(last.is, is) ? last.was : was?.state;
  const difference = before && differences.get(keyOf(now));
  const change = toFactChange(now, before, is);
  const { details: _, ...after } = change.after;
  return {
    ...change,
    ...(row[mostEntries - 1] && { alternates_since: row[0]?.is.from }),
    ...(difference && { after, items: difference.items, counts: difference.counts }),
  };
}

/** Of changes to and fro, later ones have no entry of the log. */
const mostEntries = 3;

/** That no usable answer came, or that one comes again, is always news. */
const rowsIn = (one: Timeline) =>
  rowsOf(movesOf(states(one.spans, rulesOf(one)).filter(({ isSilence }) => !isSilence)));

/** The changes to and fro that end with a state. */
function rowTo(one: Timeline, { from }: State): readonly StateChange[] {
  const row = rowsIn(one).at(-1) ?? [];
  return row.at(-1)?.is.from === from ? row : [];
}

/** If the last change up to a time was this one. */
export function turnsTo(one: Timeline, { was, is }: Partial<StateChange>) {
  const row = is ? rowTo(one, is) : [];
  const last = row.at(-1);
  return was && last && isSame(last.was, was) ? turnsIn(row) : undefined;
}

/** What was seen again as before a time without a check of it, and what was seen elsewhere until then. */
const returns = (one: Timeline) =>
  states(one.spans, rulesOf(one)).flatMap((is, nth, all) => {
    const was = all[nth - 1];
    if (!is.away || !was || is.value === null || !isSame(was, is) || !kindOf(one.kind)?.isLocked) return [];
    const elsewhere = one.elsewhere?.findLast(({ at }) => at === is.away?.[1]);
    return { is, change: { ...toFactChange(one, undefined, is), again: { until: was.to, elsewhere } } };
  });

/** The last of each row of changes to and fro, if it has no entry of the log, and until when it stood. */
const lastTurns = (one: Timeline) =>
  rowsIn(one).flatMap((row) => {
    const { was, is } = row.at(-1) ?? row[0];
    const turns = turnsIn(row);
    if (!turns || row.length <= mostEntries) return [];
    const { items, counts } = is.difference ?? {};
    const until = dayText(is.from) < dayText(is.to) && { seen_until: is.to };
    return {
      is,
      change: { ...toFactChange(one, was, is), ...(items && { items, counts }), turns, ...until },
    };
  });

/** An entry is the last of its row in each stream, so that it ends with what the row led to. */
export function withLater(changes: readonly ObservationChange[], timelines: readonly Timeline[]) {
  const last = timelines.flatMap((one) => (one.tally ? [] : lastTurns(one)));
  return changes.map((one): ShownChange => {
    const { alternates_since: since } = one;
    const of = last.find(({ change }) => keyOf(change) === keyOf(one) && change.turns.since === since);
    return of ? { ...one, later: { at: of.is.from, turns: of.change.turns, after: of.change.after } } : one;
  });
}

export const unloggedChanges = (one: Timeline) => (one.tally ? [] : [...returns(one), ...lastTurns(one)]);
