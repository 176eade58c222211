import type { Json } from '../../../core/json.ts';
import { dayText } from '../../../core/text.ts';
import { dayOf, listed, own, say, toText, type Words } from '../../../core/words.ts';
import { factsOf } from '../kind.ts';
import type { StoredObservation } from '../observation.ts';
import { keyOf, type Span, states, type Timeline } from '../timeline/timeline.ts';
import {
  allIn,
  hidesPayees,
  isAnotherEachTime,
  type Offer,
  offersSummary,
  type PlaceName,
  type StatedOffers,
} from './offer.ts';
import { isQuote, priceOffers } from './offers.ts';
import { eachTimeWords } from './words.ts';

export type OfferSighting = Awaited<ReturnType<typeof toSightings>>[number];

export type Holds = (value: readonly Offer[]) => boolean;

export const toIsHeld =
  (holds: Holds) =>
  ({ value }: OfferSighting): boolean =>
    value !== undefined && holds(value);

/** The newest in a row that hold it, without a time in which no check asked. */
export function runOf(sightings: readonly OfferSighting[], holds: Holds) {
  const isHeld = toIsHeld(holds);
  const end = sightings.findIndex((one, at) => !isHeld(one) || sightings[at - 1]?.isBack);
  return sightings.slice(0, end === -1 ? sightings.length : end);
}

export function sinceWhen(run: readonly OfferSighting[]): string {
  const last = run.at(-1);
  return last?.from ?? last?.until ?? '';
}

export const checksIn = (run: readonly OfferSighting[]): number =>
  run.reduce((sum, one) => sum + one.checks, 0);

export interface NamedParts {
  readonly name: (offers: readonly Offer[]) => readonly Words[];
  /** If `name` leaves out some for others. */
  readonly nameAll?: NamedParts['name'];
}

export function isNamedIn({ name, nameAll = name }: NamedParts, value: readonly Offer[] = []) {
  const names = new Set(nameAll(value).map(toText));
  return (one: Words): boolean => names.has(toText(one));
}

const mostNamed = 2;

/** What the newest quote has: each with the start of the run that holds it. */
export function namedSince(
  quotes: readonly OfferSighting[],
  parts: NamedParts,
  { value = [], isNow, isAnother, until }: OfferSighting,
): Words {
  const names = parts.name(value);
  const none = own(isAnother ? 'another each time' : 'none');
  if (!isNow) return say`${names.length === 0 ? none : listed(names, mostNamed)} until ${dayOf(until)}`;
  const since = (holds: Holds) => sinceWhen(runOf(quotes, holds));
  if (names.length === 0) return say`${none} since ${dayOf(since((all) => parts.name(all).length === 0))}`;
  const told = names.slice(0, mostNamed);
  const byDay = Map.groupBy(told, (one) => dayText(since((all) => isNamedIn(parts, all)(one))));
  const more = names.length - told.length;
  return listed([
    ...[...byDay].map(([day, some]) => say`${listed(some)} since ${dayOf(day)}`),
    ...(more > 0 ? [say`${more} more`] : []),
  ]);
}

export interface OfferReading {
  readonly now: Date;
  whole(digest: string): Promise<Json | undefined>;
  /** Of too many offers, those that are wanted are compared. */
  isWanted(offer: Offer): boolean;
  /** No check asks there any more. */
  readonly isFormer?: boolean;
}

type Stated = Pick<StoredObservation, 'value' | 'value_digest' | 'outcome'>;

/** At most this many offers of one state are compared, and of older states only those of the summary. */
const mostCompared = 1000;
const mostWhole = 5;

async function readOffers(
  { value: stored, value_digest = '', outcome }: Stated,
  { whole, isWanted }: OfferReading,
  age: number,
) {
  const { data } = outcome === 'seen' ? offersSummary.safeParse(stored) : {};
  if (!data) return { value: undefined, isPart: false, hidesPayees: false, isAnother: false, each: own('') };
  const read = age < mostWhole && !allIn(data) ? await whole(value_digest) : undefined;
  const all = allIn(data) ?? (read as unknown as StatedOffers | undefined)?.offers;
  const ranked = all && all.length > mostCompared ? [...new Set([...all.filter(isWanted), ...all])] : all;
  const value: readonly Offer[] = ranked?.slice(0, mostCompared) ?? data.offers;
  const isShort = value.length < data.count;
  return {
    value,
    /** Some offers could not be read, or are no longer stored. */
    isPart: isShort || data.unreadable !== undefined,
    /** They may pay others too. */
    hidesPayees: isShort || value.some(hidesPayees),
    /** Other payees when it was asked twice. */
    isAnother: isAnotherEachTime(data),
    each: eachTimeWords(data),
  };
}

function toSightings(timeline: Timeline, reading: OfferReading) {
  const all = states(timeline.spans, { away: timeline.away }).toReversed();
  return Promise.all(
    all.map(async (state, age) => ({
      ...(await readOffers(state, reading, age)),
      from: state.from,
      until: state.to,
      /** The time of the check that no longer saw the state. */
      ...(age > 0 && { ended: all[age - 1]?.from ?? '' }),
      checks: state.checks,
      isBack: state.away !== undefined,
      isNow: age === 0 && !reading.isFormer,
    })),
  );
}

const storedSince = (spans: readonly Span[]): string | undefined => {
  const last = spans.findLastIndex(({ folded }) => folded !== undefined);
  return last < 0 ? undefined : spans[last + 1]?.from;
};

export interface SeenOffers {
  readonly now: Date;
  readonly endpoint: string | undefined;
  /** If there is no endpoint, this has no quotes; default `address`. */
  readonly unseen?: 'address' | 'listing' | undefined;
  readonly quotes: readonly OfferSighting[];
  /** Absent if all quotes since the first check are known. */
  readonly since?: string;
}

export interface SeenPlace extends SeenOffers {
  readonly fact: StoredObservation;
  readonly place: PlaceName;
}

export function toSeenPlaces(
  facts: readonly StoredObservation[],
  timelines: readonly Timeline[],
  endpoints: readonly string[],
  reading: OfferReading,
): Promise<SeenPlace[]> {
  const byKey = new Map(timelines.map((one) => [keyOf(one), one]));
  const endpointOf = ({ recorded, subject }: StoredObservation) => recorded ?? subject;
  const all = factsOf(priceOffers, facts) as StoredObservation[];
  return Promise.all(
    all
      .filter((fact) => endpoints.includes(endpointOf(fact) ?? ''))
      .map(async (fact): Promise<SeenPlace> => {
        const { data } = offersSummary.safeParse(fact.value);
        const timeline = byKey.get(keyOf(fact)) ?? { kind: fact.kind, spans: [] };
        const since = storedSince(timeline.spans);
        return {
          fact,
          place: isQuote(fact) ? 'quote' : (data?.place ?? 'capabilities'),
          now: reading.now,
          endpoint: endpointOf(fact),
          quotes: await toSightings(timeline, reading),
          ...(since !== undefined && { since }),
        };
      }),
  );
}
