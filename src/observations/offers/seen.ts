import { canonicalDigest } from '../../log/leaf.ts';
import { factsOf, type NamedKind } from '../kind.ts';
import { priceChallenge } from '../kinds/prices/offer.ts';
import { allOffers, type OfferWithPayee, offersWithPayees, type PaidOffer } from '../kinds/prices/offers.ts';
import { pricePaidFor } from '../kinds/prices/paid-for.ts';
import { isAnotherEachTime, pricePayTo, readPayees, withPresentPayees } from '../kinds/prices/pay-to.ts';
import {
  checksOf,
  type Observation,
  type ObservationChange,
  type StoredObservation,
} from '../observation.ts';

/** The state of a fact in a span of time. */
export interface OfferSighting<T> {
  readonly value: T | undefined;
  /** Undefined if the start of the span is not known. */
  readonly from: string | undefined;
  /** The last time at which the state was seen. */
  readonly until: string;
  /** The time of the check that no longer saw the state. */
  readonly ended?: string;
  /** How many checks saw the state, if Dossier counted them. */
  readonly checks?: number | undefined;
  readonly isNow: boolean;
  /** Dossier read or stored only a part of the value. */
  readonly isPart?: true;
}

/** `rows` begin with the newest. `isAll` tells whether `rows` has the oldest row too. */
export interface OfferChanges {
  readonly rows: readonly { readonly at: string; readonly changes: readonly ObservationChange[] }[];
  readonly isAll: boolean;
  /** The time of the question. */
  readonly now: Date;
}

type OfferObservation = Pick<Observation, 'value' | 'value_digest' | 'outcome' | 'details'>;

type ReadValue<T> = Pick<OfferSighting<T>, 'value' | 'isPart'>;

/** Begins with the newest. */
function toPast<T>(
  fact: Pick<StoredObservation, 'kind' | 'subject'>,
  { rows }: OfferChanges,
  read: (shown: OfferObservation) => ReadValue<T>,
): OfferSighting<T>[] {
  const own = rows.flatMap(({ at, changes }) =>
    changes
      .filter(({ kind, subject }) => kind === fact.kind && subject === fact.subject)
      .map(({ before }) => ({ at, before })),
  );
  return own.flatMap(({ before, at: ended }, index): OfferSighting<T>[] => {
    const when = { from: own[index + 1]?.at, until: before?.seen_until ?? '', ended, isNow: false };
    return before ? [{ ...read(before), ...when }] : [];
  });
}

/** Begins with the newest. */
function toSightings<T>(
  fact: StoredObservation,
  changes: OfferChanges,
  read: (shown: OfferObservation) => ReadValue<T>,
): OfferSighting<T>[] {
  const { first_seen_at: from, observed_at: until } = fact;
  const now = { ...read(fact), from, until, checks: checksOf(fact), isNow: true };
  return [now, ...toPast(fact, changes, read)];
}

/** `quotes` and `payees` begin with the newest. */
export interface SeenQuotes {
  readonly now: Date;
  readonly endpoint: string | undefined;
  /** If there is no endpoint, this has no quotes; default `address`. */
  readonly unseen?: 'address' | 'listing' | undefined;
  readonly quotes: readonly OfferSighting<readonly PaidOffer[]>[];
  readonly payees: readonly OfferSighting<readonly string[]>[];
  /** The offers of the last quote with their payees; empty if the last check saw no price. */
  readonly payeesOf: readonly OfferWithPayee[];
  /** The offers of earlier quotes with their payees, as far as Dossier knows these quotes. */
  readonly earlierPayeesOf: readonly OfferSighting<readonly OfferWithPayee[]>[];
  /** The endpoint named different addresses when it was asked twice. */
  readonly isAnotherEachTime: boolean;
  /** The time since which all quotes are known; absent if they are known since the first check. */
  readonly since?: string;
  /** Absent if the last check saw a price. */
  readonly unquoted?: Pick<StoredObservation, 'why' | 'observed_at'>;
}

const factAt = (kind: NamedKind, subject: string | undefined, facts: readonly StoredObservation[]) =>
  factsOf(kind, facts).find((one) => one.subject === subject) as StoredObservation | undefined;

/** Some offers may be unread, and the list may be stored shortened. */
function readQuotes(shown: OfferObservation): ReadValue<readonly PaidOffer[]> {
  const offers = shown.outcome === 'seen' ? allOffers(shown) : [];
  if (offers.length === 0) return { value: undefined };
  const { value_digest, details } = shown;
  const isShort = value_digest !== undefined && canonicalDigest({ value: offers }) !== value_digest;
  return { value: offers, ...((isShort || details?.quoted !== undefined) && { isPart: true }) };
}

const readPaid = ({ value, value_digest, outcome }: OfferObservation): ReadValue<readonly string[]> => ({
  value: outcome === 'seen' ? readPayees(value) : undefined,
  ...(value_digest !== undefined && { isPart: true }),
});

/** Marks payees as a part if not all offers of their time are known. */
function besideParts(
  payees: readonly OfferSighting<readonly string[]>[],
  quotes: readonly OfferSighting<unknown>[],
): OfferSighting<readonly string[]>[] {
  const parts = quotes.filter(({ isPart }) => isPart);
  const isBeside = ({ from = '', until }: OfferSighting<unknown>) =>
    parts.some((one) => (one.from ?? '') <= until && from <= one.until);
  return payees.map((one) => (isBeside(one) ? { ...one, isPart: true } : one));
}

const presentPayees = (quote: StoredObservation, paid: StoredObservation | undefined) =>
  quote.missed?.isInPart ? withPresentPayees(offersWithPayees(quote), paid) : offersWithPayees(quote);

/** A payee that is paid for a different offer than before changes neither the price nor the set of payees. */
function earlierPayees(
  quote: StoredObservation,
  changes: OfferChanges,
): OfferSighting<readonly OfferWithPayee[]>[] {
  const ofQuotes = toPast(quote, changes, (shown) => ({ value: offersWithPayees(shown) }));
  const paidFor = { kind: pricePaidFor.kind, subject: quote.subject };
  const ofOffers = toPast(paidFor, changes, ({ value }) => ({
    value: pricePaidFor.value.safeParse(value).data,
  }));
  return [...ofQuotes, ...ofOffers].toSorted((a, b) => (a.until < b.until ? 1 : -1));
}

export function toSeenQuotes(facts: readonly StoredObservation[], changes: OfferChanges): SeenQuotes[] {
  const oldest = changes.rows.at(-1)?.at;
  return factsOf(priceChallenge, facts).map((challenge): SeenQuotes => {
    const fact = challenge as StoredObservation;
    const paid = factAt(pricePayTo, fact.subject, facts);
    const isQuoted = fact.outcome === 'seen';
    const quotes = toSightings(fact, changes, readQuotes);
    return {
      now: changes.now,
      endpoint: fact.subject,
      quotes,
      payees: paid ? besideParts(toSightings(paid, changes, readPaid), quotes) : [],
      payeesOf: isQuoted ? presentPayees(fact, paid) : [],
      earlierPayeesOf: earlierPayees(fact, changes),
      isAnotherEachTime: paid !== undefined && isAnotherEachTime(paid.value),
      ...(!changes.isAll && oldest !== undefined && { since: oldest }),
      ...(!isQuoted && { unquoted: { observed_at: fact.observed_at, ...(fact.why && { why: fact.why }) } }),
    };
  });
}
