import { dayText, named } from '../../core/text.ts';
import { code, dayOf, ended, listed, own, say, toText } from '../../core/words.ts';
import type { Listing } from '../../listings/listing.ts';
import { toEndpoints } from '../../listings/references/name.ts';
import { type Reference, toAddressKey, toHost } from '../../listings/references/references.ts';
import { endedWords } from '../../observations/asked/outcome.ts';
import type { StoredSet } from '../../observations/known/changes/history.ts';
import type { MemberDifference, SurfaceComparison } from '../../observations/known/changes/shown-list.ts';
import type { FactOf } from '../../observations/known/kind.ts';
import type { toolsSurface } from '../../observations/known/kinds/lists/tools.ts';
import { rulesOf } from '../../observations/known/kinds.ts';
import type { StoredObservation } from '../../observations/known/observation.ts';
import { lastSeen, toFacts } from '../../observations/known/standing.ts';
import { allKept, type KeptTimelines } from '../../observations/known/timeline/past.ts';
import { keyOf, type State, states, type Timeline } from '../../observations/known/timeline/timeline.ts';
import type { CheckedBefore } from '../../observations/known/to-observations.ts';

/** The list that a check of an endpoint saw last. */
export type SeenSet = FactOf<typeof toolsSurface, StoredObservation> & {
  readonly value: string;
  /** Each time at which a list was seen there, the oldest first. */
  readonly times: readonly State[];
  /** Since when, and why, later checks saw no list. */
  readonly unseen: string | undefined;
};

function unseenText({ outcome, missed, first_seen_at, why, asks_for }: StoredObservation) {
  const none =
    outcome === 'seen'
      ? missed && { since: missed.since, outcome: missed.outcome ?? ('not_asked' as const), why: missed.why }
      : { since: first_seen_at, outcome, why, asks_for };
  return none && toText(ended(say`No check since ${dayOf(none.since)} saw a list: ${endedWords(none)}`));
}

export function toSeenSets(facts: readonly StoredObservation[], timelines: readonly Timeline[]): SeenSet[] {
  const byKey = new Map(timelines.map((one) => [keyOf(one), one]));
  return facts.flatMap((fact) => {
    const timeline = byKey.get(keyOf(fact));
    const last = timeline && lastSeen(timeline);
    if (!last || typeof last.value !== 'string' || last.details === undefined) return [];
    const times = states(timeline.spans, rulesOf(timeline)).filter(({ outcome }) => outcome === 'seen');
    return [{ ...last, times, unseen: unseenText(fact) } as SeenSet];
  });
}

/**
 * Of an endpoint or host that the record names no more: what was seen there, as far as it is kept. Undefined
 * for other places, which list nothing.
 */
export function formerPlace({ kind, key }: Reference, { remotes }: Listing, kept: KeptTimelines) {
  if (kind !== 'endpoint' && kind !== 'host') return undefined;
  const now = remotes.map(({ url }) => code(url));
  const words = say`You asked about the ${own(kind)} ${code(key)}, which the record no longer names${now.length > 0 && say`; what Dossier saw at ${listed(now, 2)} is not compared`}.`;
  return { words, ...keptAt(kept, [{ kind, key }]) };
}

/** Everything that is kept of these endpoints and hosts. */
export function keptAt(kept: KeptTimelines, references: readonly Reference[]) {
  const isThere = ({ subject = '' }: Timeline) => {
    const at = toAddressKey(subject) ?? '';
    return references.some(({ kind, key }) => (kind === 'host' ? toHost(at) : at) === key);
  };
  const timelines = allKept(kept).filter(isThere);
  return { timelines, observations: toFacts(timelines) };
}

export const endpointsIn = ({ places }: CheckedBefore): Reference[] => places.flatMap(toEndpoints);

/** A list that was there before the one that was seen last. */
type EarlierSet = Awaited<ReturnType<typeof compareEarlier>>['found'][number];

/**
 * Of all times of a list. `again_at`: the beginning of the last time, if it is another. `seen_until` is
 * undefined if none of them is stored any more.
 */
export function timesOf(
  { digest, first_seen_at }: Pick<StoredSet, 'digest' | 'first_seen_at'>,
  { times }: Pick<SeenSet, 'times'>,
) {
  const [first, ...later] = times.filter(({ value }) => value === digest);
  const last = later.at(-1);
  return {
    first_seen_at: first?.from ?? first_seen_at,
    again_at: last?.from,
    seen_until: (last ?? first)?.to,
  };
}
export type SeenTimes = ReturnType<typeof timesOf>;

const lastDay = ({ first_seen_at, seen_until = first_seen_at }: SeenTimes) => seen_until;

/** The latest first, up to the one that is the sent list; not all if one answer may not read as much. */
export async function compareEarlier(
  seen: SeenSet,
  before: readonly StoredSet[],
  compareSet: (seen: SeenSet, set: StoredSet) => Promise<SurfaceComparison | 'left_out' | undefined>,
) {
  const found: ({ readonly compared: SurfaceComparison } & SeenTimes)[] = [];
  const dated = before.map((set) => ({ set, ...timesOf(set, seen) }));
  for (const { set, ...time } of dated.sort((a, b) => (lastDay(a) < lastDay(b) ? 1 : -1))) {
    const compared = await compareSet(seen, set);
    if (compared === 'left_out') return { found, isAll: false };
    if (compared) found.push({ compared, ...time });
    if (compared?.differs.length === 0) break;
  }
  return { found, isAll: true };
}

/** Adds when an earlier list had the member: as it was sent, or else another of its name. */
export function withEarlier(
  one: MemberDifference,
  { prefix, repeated }: SurfaceComparison,
  found: readonly EarlierSet[],
) {
  const { name, difference } = one;
  if (difference === 'only_here' || repeated.includes(name)) return one;
  const sent = `${prefix}${name}`;
  const inSet = ({ compared }: EarlierSet) =>
    compared.differs.find(
      (other) => other.difference !== 'only_here' && `${compared.prefix}${other.name}` === sent,
    )?.difference;
  const same = found.find((set) => inSet(set) === undefined);
  const last = same ?? (difference === 'other' ? undefined : found.find((set) => inSet(set) === 'other'));
  return last
    ? { ...one, earlier: { seen_until: lastDay(last), ...(last !== same && { is_other: true as const }) } }
    : one;
}

type DatedDifference = ReturnType<typeof withEarlier>;

const mostNamed = 5;

/** What no list that is still stored has, if all were compared, and what one had. */
export function earlierSentences(differs: readonly DatedDifference[], hasAll: boolean): string[] {
  const dated = differs.flatMap((one) => ('earlier' in one ? [one] : []));
  const never = differs.filter((one) => one.difference === 'only_there' && !('earlier' in one));
  const names = never.slice(0, mostNamed).map(({ name }) => named(name));
  return [
    ...dated
      .slice(0, mostNamed)
      .map(
        ({ name, earlier: { seen_until, is_other } }) =>
          `Until ${dayText(seen_until)}, Dossier saw ${is_other ? 'another ' : ''}${named(name)}${is_other ? '' : ' as you sent it'}: see get_history.`,
      ),
    ...(hasAll && never.length > 0
      ? [
          `No list that Dossier keeps of this endpoint has ${names.join(', ')}${never.length > names.length ? ` and ${never.length - names.length} more` : ''}.`,
        ]
      : []),
  ];
}
