import { factsOf, type NamedKind } from '../kind.ts';
import { priceChallenge } from '../kinds/offer.ts';
import { allOffers, type OfferWithPayee, offersWithPayees, type PaidOffer } from '../kinds/offers.ts';
import { isAnotherEachTime, pricePayTo, readPayees } from '../kinds/price.ts';
import { allToolOffers, type ToolOfferWithPayee, toolOffers } from '../kinds/tool-offers.ts';
import { kinds } from '../kinds.ts';
import type { Observation, ObservationChange, StoredObservation } from '../observation.ts';
import { ownProbe } from '../remotes.ts';

/** What was seen of a fact in a span of time; `value` is absent where there was none. */
export interface Sighting<T> {
  readonly value: T | undefined;
  /** Since when, if that is known. */
  readonly from: string | undefined;
  /** When it was seen last. */
  readonly until: string;
  readonly isNow: boolean;
}

/** The changes of one listing that are read, newest first; `isAll` if there are no older ones. */
export interface Changes {
  readonly rows: readonly { readonly at: string; readonly changes: readonly ObservationChange[] }[];
  readonly isAll: boolean;
}

type Shown = Pick<Observation, 'value' | 'outcome' | 'details'>;

/** What was seen of a fact of one endpoint, newest first: now, and before each change. */
function toSightings<T>(
  fact: StoredObservation,
  { rows }: Changes,
  read: (shown: Shown) => T | undefined,
): Sighting<T>[] {
  const own = rows.flatMap(({ at, changes }) =>
    changes
      .filter(({ kind, subject }) => kind === fact.kind && subject === fact.subject)
      .map(({ before }) => ({ at, before })),
  );
  const past = own.flatMap(({ before }, index): Sighting<T>[] =>
    before ? [{ value: read(before), from: own[index + 1]?.at, until: before.seen_until, isNow: false }] : [],
  );
  const { first_seen_at: from, observed_at: until } = fact;
  return [{ value: read(fact), from, until, isNow: true }, ...past];
}

/** What an endpoint quoted to Dossier, and who was paid, newest first. */
export interface SeenQuotes {
  readonly endpoint: string | undefined;
  readonly quotes: readonly Sighting<readonly PaidOffer[]>[];
  readonly payees: readonly Sighting<readonly string[]>[];
  /** Who was paid by which offer, as quoted last. */
  readonly payeesOf: readonly OfferWithPayee[];
  /** It named other addresses when it was asked twice. */
  readonly isAnotherEachTime: boolean;
  /** Since when all quotes are known that were seen; absent if that is from the first check on. */
  readonly since?: string;
  /** Why no price was quoted the last time; absent if one was. */
  readonly unquoted?: Pick<StoredObservation, 'why' | 'observed_at'>;
}

const factAt = (kind: NamedKind, subject: string | undefined, facts: readonly StoredObservation[]) =>
  factsOf(kind, facts).find((one) => one.subject === subject) as StoredObservation | undefined;

const readQuotes = (shown: Shown) => {
  const offers = shown.outcome === 'seen' ? allOffers(shown) : [];
  return offers.length > 0 ? offers : undefined;
};
const readPaid = ({ value, outcome }: Shown) => (outcome === 'seen' ? readPayees(value) : undefined);

/** What each endpoint of a listing was asked for and quoted; none of a listing that was not checked, or has no endpoint. */
export function toSeenQuotes(facts: readonly StoredObservation[], changes: Changes): SeenQuotes[] {
  const oldest = changes.rows.at(-1)?.at;
  return factsOf(priceChallenge, facts).map((challenge): SeenQuotes => {
    const fact = challenge as StoredObservation;
    const paid = factAt(pricePayTo, fact.subject, facts);
    const isQuoted = fact.outcome === 'seen';
    return {
      endpoint: fact.subject,
      quotes: toSightings(fact, changes, readQuotes),
      payees: paid ? toSightings(paid, changes, readPaid) : [],
      payeesOf: isQuoted ? offersWithPayees(fact) : [],
      isAnotherEachTime: paid !== undefined && isAnotherEachTime(paid.value),
      ...(!changes.isAll && oldest !== undefined && { since: oldest }),
      ...(!isQuoted && { unquoted: { observed_at: fact.observed_at, ...(fact.why && { why: fact.why }) } }),
    };
  });
}

/** A price that somebody advertises for an endpoint, as a catalogue. */
export interface Advertised {
  readonly source: string;
  readonly observed_at: string;
  readonly offers: readonly ToolOfferWithPayee[];
}

/** The kinds of fact that may be lists of offers which others, or other places, state. */
const advertising = kinds.filter(
  ({ kind, line }) => line === 'costs' && kind !== priceChallenge.kind && kind !== pricePayTo.kind,
);

/** What is advertised for the endpoints of a listing, in units of an asset. */
export function toAdvertised(facts: readonly StoredObservation[]): Advertised[] {
  return facts
    .filter(({ kind, outcome }) => outcome === 'seen' && advertising.some((one) => one.kind === kind))
    .flatMap(({ value: stored, details, source, source_url, observed_at }) => {
      const value = toolOffers.safeParse(stored).data ?? [];
      const url = source === ownProbe && source_url !== undefined ? URL.parse(source_url) : undefined;
      const place = url ? `${url.host}${url.pathname}` : source;
      const offers = allToolOffers({ value, ...(details && { details }) });
      return value.length > 0 ? [{ source: place, observed_at, offers }] : [];
    });
}
