import { asMembers } from '../core/json.ts';
import { coded, day, day_ms, withoutStop } from '../core/text.ts';
import { convert, networkName, toCaip19 } from '../observations/kinds/assets.ts';
import type { Offer } from '../observations/kinds/offer.ts';
import { type DatedObservation, isDated, knowingOf, type Observation } from '../observations/observation.ts';
import type { KindName } from '../observations/recorded-kinds.ts';
import type { ListingDocument } from './listing-document.ts';

/** What Dossier has looked for of a listing, by kind. */
export type Seen = (kind: string) => readonly DatedObservation[];

/** What the answer about a listing is made of. */
export interface Judged {
  readonly listing: ListingDocument;
  readonly seen: Seen;
  /** The same, only what is known. */
  readonly known: Seen;
  /** `short` names endpoint and repository, whose addresses stand elsewhere; `full` every endpoint, package and tool. */
  readonly detail: 'short' | 'page' | 'full';
}

export function toSeen({ observations }: Pick<ListingDocument, 'observations'>): Seen {
  const byKind = Map.groupBy(observations.filter(isDated), ({ kind }) => kind);
  return (kind) => byKind.get(kind) ?? [];
}

export const isKnown = (one: Pick<Observation, 'value' | 'state'>): boolean => knowingOf(one) === 'known';

/** When Dossier last checked anything of a listing, if that is too long ago; it is then said once. */
export function lastChecked({ observations }: ListingDocument): string | undefined {
  const newest = observations
    .filter(isDated)
    .toSorted((a, b) => b.observed_at.localeCompare(a.observed_at))
    .at(0);
  return newest?.state === 'stale' ? day(newest.observed_at) : undefined;
}

/** The value of an imported signal that its source states; undefined if it states none. */
export const signalValue = ({ signals }: Pick<ListingDocument, 'signals'>, kind: KindName) =>
  signals.imported.find((one) => one.kind === kind && one.state === 'observed')?.value ?? undefined;

/** What is known beside what is not of the last check. */
export const sinceThen = ({ listing }: Judged, { missed_since, state, value }: DatedObservation): string =>
  missed_since
    ? value === null
      ? `; checks since ${day(missed_since)} could not tell`
      : `, not seen by checks since ${day(missed_since)}`
    : state === 'stale' && lastChecked(listing) === undefined
      ? ', not checked since'
      : '';

/** How the last check of a fact ended, however long ago that was. */
export const endOf = ({ state, last_state = state }: Observation) => last_state;

/** The reason of a fact; that it is stale is said apart. */
export const reasonOf = ({ reason = '' }: Observation): string =>
  withoutStop(reason.replace(/^Last checked on .*?, not since\. ?/, ''));

/** Whether Dossier has ever checked any of it. */
export const isChecked = ({ listing }: Pick<Judged, 'listing'>): boolean =>
  listing.observations.some(isDated);

/** Days from a time to the day of the answer. */
export const daysSince = (time: string, { evidence_snapshot_date }: ListingDocument): number =>
  (Date.parse(evidence_snapshot_date) - Date.parse(day(time))) / day_ms;

/** How many checks of an endpoint it answered, as `3 of 3`, if they were counted on the day of this one, of the last 30. */
export const tallyOf = ({ listing, seen }: Judged, { subject, observed_at }: DatedObservation) =>
  daysSince(observed_at, listing) <= 30
    ? seen('endpoint.availability').find(
        (one) => one.subject === subject && day(one.observed_at) === day(observed_at),
      )?.value
    : undefined;

/** What such a count says, as the end of a sentence about an endpoint that did not answer as a service. */
export const tallyText = (tally: unknown, { state, last_state = state }: Observation): string =>
  `; ${tally} checks in 30 days ${last_state === 'not_found' ? 'found something there' : 'were answered'}`;

/** Whether something recorded was looked for and is not there: whatever would be known of it is not there either. */
export const isAbsent = (one: DatedObservation): boolean =>
  endOf(one) === 'not_found' && /^(?:package|repository)\.exists$|^endpoint\.answers$/.test(one.kind);

/** Whether all that the listing records as its endpoints is not there. */
export const isNowhere = ({ seen }: Pick<Judged, 'seen'>): boolean =>
  seen('endpoint.answers').length > 0 && seen('endpoint.answers').every(isAbsent);

/** Where it was seen, if the listing records several places; for the end of a phrase. */
export const atPlace = ({ subject }: Pick<DatedObservation, 'subject'>, all: readonly unknown[]): string =>
  all.length > 1 && subject !== undefined ? ` at ${coded(subject)}` : '';

/** Whether an endpoint let nobody in before a payment. */
export const asksPayment = (seen: Seen, { subject }: Pick<Observation, 'subject'>): boolean =>
  seen('endpoint.answers').some((one) => one.subject === subject && one.value === 402);

/** The offers of a quoted price; none if its details name none. */
export const offersOf = ({ details }: Pick<Observation, 'details'>): readonly Offer[] => {
  const { offers } = asMembers(details);
  return Array.isArray(offers) ? (offers as Offer[]) : [];
};

const networkText = (network: string) => networkName(network) ?? coded(network);
const networkOf = ({ network, chain_id }: Offer) => (chain_id === undefined ? network : `eip155:${chain_id}`);

/** The usual scheme is not named: exactly this amount is paid. */
const schemeText = (scheme: string) => (scheme === 'exact' ? '' : ` (scheme ${coded(scheme)})`);

/** The first offer of a quoted price in the unit that people use, or as it was quoted. */
export function priceText(one: DatedObservation): string {
  const [first, ...others] = offersOf(one);
  if (!first) return coded(String(one.value));
  const { our_conversion, amount, asset, scheme } = first;
  const price = our_conversion ?? `${amount} of ${coded(asset)}`;
  return `${price}${schemeText(scheme)} on ${networkText(networkOf(first))}${others.length > 0 ? ` (${others.length} more offers)` : ''}`;
}

/**
 * What a quoted price says as it is stored, which is all that there is of an earlier one: `price` in the unit that people use, or as
 * it was quoted, with its scheme unless that is the usual one; `more` that there were more offers.
 */
function readQuote(value: unknown) {
  const [, amount, asset, network, payee, scheme = '', more = ''] =
    /^(\d+) of (\S+) on (\S+)(?: to (\S+))? \(([^)]*)\)(.*)$/.exec(String(value)) ?? [];
  if (amount === undefined || asset === undefined || network === undefined) return undefined;
  const price = convert(amount, toCaip19(network, asset)) ?? `${amount} of ${coded(asset)}`;
  return { price: `${price}${schemeText(scheme)}`, network, payee, more };
}

/** A quoted price as it is stored, in the unit that people use, with network and payee; undefined of any other text. */
export function quoteText(value: unknown): string | undefined {
  const quote = readQuote(value);
  if (!quote) return undefined;
  const { price, network, payee, more } = quote;
  return `${price} on ${networkText(network)}${payee === undefined ? '' : `, paid to ${coded(payee)}`}${more}`;
}

/** The price before, in the unit that people use if its asset is known; undefined if none was seen. */
export const priceBefore = ({ changed_from }: DatedObservation): string | undefined =>
  readQuote(changed_from?.value)?.price;
