import { day_ms, dayOrTime, dayText, lastOf } from '../core/text.ts';
import {
  betweenDays,
  code,
  count,
  day,
  dayOf,
  isEmpty,
  number,
  own,
  say,
  type Words,
} from '../core/words.ts';
import type { ImportedSignal } from '../listings/listing.ts';
import { type FactOf, factsOf, type KindValue, type NamedKind } from '../observations/known/kind.ts';
import { endpointAnswers, endpointAvailability } from '../observations/known/kinds/endpoint.ts';
import { subjectWords } from '../observations/known/kinds/packages/packages.ts';
import { kindOf } from '../observations/known/kinds.ts';
import {
  checked_at,
  type DatedObservation,
  isDated,
  knowingOf,
  lastKnown,
  missedReason,
  type Observation,
  ownReason,
} from '../observations/known/observation.ts';
import { answeredWords, failedWords } from '../observations/known/timeline/tally.ts';
import type { Turns } from '../observations/known/timeline/timeline.ts';
import type { ListingDocument } from './listing-document.ts';

/** A fact that the record states, or that Dossier has looked for. Its value is null if it was not found. */
export type SeenFact<K extends NamedKind> = FactOf<
  K,
  K['origin'] extends 'record' ? ImportedSignal : DatedObservation
>;

export type SeenOf = <K extends NamedKind>(kind: K) => readonly SeenFact<K>[];

export type KnownFact<K extends NamedKind> = Omit<SeenFact<K>, 'value'> & { readonly value: KindValue<K> };

export interface JudgedListing {
  readonly listing: ListingDocument;
  readonly seen: SeenOf;
  readonly known: <K extends NamedKind>(kind: K) => readonly KnownFact<K>[];
  /**
   * `short` leaves out addresses that the answer has elsewhere; `full` names every endpoint, package and
   * tool.
   */
  /** `table`: as `page`, but a table beside it has the offers. */
  readonly detail: 'short' | 'page' | 'table' | 'full';
}

type WithFacts = Pick<ListingDocument, 'observations' | 'signals'>;

export function toSeen({ observations, signals }: WithFacts): SeenOf {
  const byKind = Map.groupBy([...observations.filter(isDated), ...signals.imported], ({ kind }) => kind);
  return <K extends NamedKind>(kind: K) => {
    const found = byKind.get(kind.kind);
    return found ? (factsOf(kind, found) as unknown as readonly SeenFact<K>[]) : [];
  };
}

export const isKnown = <Fact extends Pick<Observation, 'value' | 'outcome'>>(
  one: Fact,
): one is Fact & { readonly value: NonNullable<Fact['value']> } => knowingOf(one) === 'known';

export const toKnown =
  (seen: SeenOf) =>
  <K extends NamedKind>(kind: K): readonly KnownFact<K>[] =>
    seen(kind).filter((one) => isKnown(one as Observation)) as unknown as readonly KnownFact<K>[];

/** Undefined before the first check. */
export function newestCheckTime({ observations }: ListingDocument): string | undefined {
  const all: readonly Observation[] = observations;
  return lastOf(all.flatMap((one) => one[checked_at] ?? one.observed_at ?? []));
}

/** The fact itself if it is known, or if no check ever saw it. */
export const asLastKnown = <Fact extends DatedObservation>(one: Fact): Fact =>
  (one[lastKnown] as Fact | undefined) ?? one;

/** The time of day of today's, which helps after an outage. Undefined before the first check. */
export function newestCheck(listing: ListingDocument): string | undefined {
  const time = newestCheckTime(listing);
  return time && dayOrTime(time, listing.evidence_snapshot_date);
}

/** Returns undefined if there was no check, or if the newest one is not stale. */
export function lastChecked(listing: ListingDocument): string | undefined {
  const [newest] = listing.observations
    .filter(isDated)
    .toSorted((a, b) => b.observed_at.localeCompare(a.observed_at));
  return newest?.is_stale ? dayText(newest.observed_at) : undefined;
}

/** The kind must have one fact for each listing. Returns undefined if the fact is not known. */
export const knownValue = <K extends NamedKind>(document: WithFacts, kind: K): KindValue<K> | undefined =>
  (kind.origin === 'record'
    ? factsOf(kind, document.signals.imported).find(isKnown)
    : factsOf(kind, document.observations).find(isKnown)
  )?.value;

export const inTurnWords = ({ since, states, changes }: Turns): Words =>
  states === 2
    ? say`${count(changes, 'change')} to and fro between two states since ${dayOf(since)}`
    : say`${count(changes, 'change')} among ${number(states)} states since ${dayOf(since)}, each of which came back`;

/** Follows the words of the last of these changes. */
export const turnsWords = (turns: Turns | undefined): Words =>
  say`${turns && say`; with this, ${inTurnWords(turns)}`}`;

export function sinceThen({ listing }: JudgedListing, { missed_since, is_stale, value }: DatedObservation) {
  if (missed_since)
    return value === null
      ? say`; checks since ${dayOf(missed_since)} were not conclusive`
      : say`, not seen by checks since ${dayOf(missed_since)}`;
  return is_stale && lastChecked(listing) === undefined ? own(', not checked since') : say``;
}

/**
 * The reason why later checks did not ask an endpoint, or could not tell whether it answers. Undefined
 * without such a reason, or if the endpoint was asked and did not answer.
 */
export function whyNotAsked({ unanswered_since, [missedReason]: why }: Observation): Words | undefined {
  return why === undefined || isEmpty(why) || unanswered_since !== undefined ? undefined : why;
}

/** The reason of the reading that the fact is of, without what later checks say of it. */
export const reasonOf = (one: Observation): Words | undefined =>
  ownReason in one ? one[ownReason] : one.reason;

export const isChecked = ({ listing }: Pick<JudgedListing, 'listing'>): boolean =>
  listing.observations.some(isDated);

/** The page says first, and once, what is not checked; what a copy lacks has its reason in each line. */
export const isSaidFirst = ({ detail, listing }: Pick<JudgedListing, 'detail' | 'listing'>): boolean =>
  detail === 'table' && !isChecked({ listing }) && listing.copy_lacks === undefined;

/** Days from a time to the day of the answer. */
export const daysSince = (time: string, { evidence_snapshot_date }: ListingDocument): number =>
  (Date.parse(evidence_snapshot_date) - Date.parse(dayText(time))) / day_ms;

/**
 * The newest counts of answered checks, whatever these found, with their day if it is later than that of the
 * observation, and how the others ended. Undefined if they are older than it, or than 30 days.
 */
export function shareOf({ listing, seen }: JudgedListing, { subject, observed_at: at }: DatedObservation) {
  const { value, observed_at = '' } = seen(endpointAvailability).find((one) => one.subject === subject) ?? {};
  if (!value || daysSince(observed_at, listing) > 30 || dayText(observed_at) < dayText(at)) return undefined;
  const until = dayText(observed_at) > dayText(at) && say` until ${day(observed_at)}`;
  return { words: say`${answeredWords(value.days_30)}${until}`, failed: failedWords(value.days_30) };
}

/** The end of a sentence about an endpoint. */
export function shareWords(judged: JudgedListing, one: DatedObservation): Words {
  const share = shareOf(judged, one);
  return say`${share && say`; ${share.words} were answered`}`;
}

/** Tells whether something recorded was looked for and does not exist. */
export const isAbsent = (one: DatedObservation): boolean =>
  one.outcome === 'absent' && kindOf(one.kind)?.existsAs !== undefined;

/** Returns no words if there is only one place, or if the fact names none. */
export const atPlace = ({ subject }: Pick<DatedObservation, 'subject'>, all: readonly unknown[]): Words =>
  all.length > 1 && subject !== undefined ? say` at ${subjectWords(subject)}` : say``;

export const asksPayment = (seen: SeenOf, { subject }: Pick<Observation, 'subject'>): boolean =>
  seen(endpointAnswers).some((one) => one.subject === subject && asLastKnown(one).value === 402);

export const factWords = (one: Pick<Observation, 'kind' | 'value' | 'details' | 'as_seen'>): Words =>
  kindOf(one.kind)?.say(one) ?? code(typeof one.value === 'string' ? one.value : JSON.stringify(one.value));

export const between = ({ changed_from: from }: Pick<Observation, 'changed_from'>): Words =>
  betweenDays(from?.seen_until ?? '', from?.seen_from ?? '');
