import { code, isEmpty, join, listed, say, type Words } from '../../../core/words.ts';
import { networkWords } from './assets.ts';
import { type OfferWithPayee, offerText, unitOf } from './offers.ts';

const mostNamed = 3;

export const payeesWords = (payees: readonly string[]): Words =>
  listed(
    payees.map((payee) => code(payee)),
    mostNamed,
  );

/** An offer may state no payee. */
function payeesBy(offers: readonly OfferWithPayee[], partOf: (offer: OfferWithPayee) => string) {
  const paid = offers.flatMap(({ pay_to, ...offer }) => (pay_to === undefined ? [] : [{ ...offer, pay_to }]));
  return new Map(
    [...Map.groupBy(paid, partOf)].map(([part, all]) => [part, new Set(all.map((one) => one.pay_to))]),
  );
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.symmetricDifference(b).size === 0;

interface PayeesChange {
  readonly network: string;
  /** The payees that are new on this network. If the network itself is new, no network had them before. */
  readonly came: readonly string[];
  readonly gone: readonly string[];
  readonly isNewNetwork: boolean;
  /** The payees are the same, and are paid for other offers than before. */
  readonly moved?: readonly string[];
  /** The payees are the same, and their order by amount differs. */
  readonly order?: readonly [before: readonly string[], after: readonly string[]];
}

const textOf = (offer: OfferWithPayee) => `${offerText(offer)} ${offer.pay_to ?? ''}`;

/** The payees in the order of amounts. A payee of several amounts in a row stands there once. */
const byAmount = (offers: readonly OfferWithPayee[]): string[] =>
  offers
    .toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    .flatMap(({ pay_to }) => pay_to ?? [])
    .filter((payee, at, all) => payee !== all[at - 1]);

/** Returns the two orders of payees by amount for each unit in which they differ. */
function reorderedIn(before: readonly OfferWithPayee[], after: readonly OfferWithPayee[]) {
  const was = Map.groupBy(before, unitOf);
  return [...Map.groupBy(after, unitOf)].flatMap(([unit, offers]) => {
    const known = was.get(unit);
    if (!known) return [];
    const orders = [byAmount(known), byAmount(offers)] as const;
    return orders[0].join() === orders[1].join() ? [] : [orders];
  });
}

/** The payees on the network are the same before and after, and all offers are on that network. */
function movedOn(
  network: string,
  before: readonly OfferWithPayee[],
  after: readonly OfferWithPayee[],
): PayeesChange[] {
  const moved = [unitOf, offerText].flatMap((partOf) => {
    const was = payeesBy(before, partOf);
    const is = payeesBy(after, partOf);
    return [...is].flatMap(([part, payees]) => {
      const known = was.get(part);
      return known && !isSame(known, payees) ? [...known.union(payees)] : [];
    });
  });
  const same = { network, came: [], gone: [], isNewNetwork: false };
  if (moved.length > 0) return [{ ...same, moved: [...new Set(moved)].sort() }];
  return reorderedIn(before, after).map((order) => ({ ...same, order }));
}

function changesOf(before: readonly OfferWithPayee[], after: readonly OfferWithPayee[]): PayeesChange[] {
  const networkOf = ({ network }: OfferWithPayee) => network;
  const was = payeesBy(before, networkOf);
  const offersBefore = Map.groupBy(before, networkOf);
  const offersAfter = Map.groupBy(after, networkOf);
  const all = new Set([...was.values()].flatMap((payees) => [...payees]));
  return [...payeesBy(after, networkOf)].flatMap(([network, payees]) => {
    const known = was.get(network);
    if (known && isSame(known, payees))
      return movedOn(network, offersBefore.get(network) ?? [], offersAfter.get(network) ?? []);
    const came = [...payees.difference(known ?? all)].sort();
    const gone = [...(known ?? new Set<string>()).difference(payees)].sort();
    return came.length + gone.length > 0 ? [{ network, came, gone, isNewNetwork: !known }] : [];
  });
}

function changeWords({ network, came, gone, isNewNetwork, moved, order }: PayeesChange): Words {
  const on = networkWords(network);
  if (order?.some((payees) => payees.length > mostNamed))
    return say`the payees on ${on} are in another order by amount`;
  if (order)
    return say`from the lowest amount, paid to ${payeesWords(order[1])} on ${on} instead of ${payeesWords(order[0])}`;
  if (moved) return say`${payeesWords(moved)} are paid for other offers on ${on} than before`;
  if (came.length === 0) return say`no longer paid to ${payeesWords(gone)} on ${on}`;
  if (isNewNetwork) return say`paid to ${payeesWords(came)} on ${on}`;
  if (gone.length === 0) return say`also paid to ${payeesWords(came)} on ${on}`;
  return say`payee changed from ${payeesWords(gone)} to ${payeesWords(came)} on ${on}`;
}

/** The words are, for example, `payee changed from <address> to <address> on Base`. */
export function payeesChange(
  before: readonly OfferWithPayee[],
  after: readonly OfferWithPayee[],
): Words | undefined {
  const words = join(changesOf(before, after).map(changeWords), '; ');
  return isEmpty(words) ? undefined : words;
}

/**
 * A new payee, or a payee that is paid for different offers, weighs as much as a new asset (offersWeight).
 */
export function payeesWeight(before: readonly OfferWithPayee[], after: readonly OfferWithPayee[]): number {
  const changes = changesOf(before, after);
  if (changes.some(({ came, moved, order }) => came.length > 0 || moved || order)) return 4;
  return changes.length > 0 ? 1 : 0;
}
