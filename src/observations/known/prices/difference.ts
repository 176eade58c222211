import { difference } from '../../../core/difference/difference.ts';
import type { Json } from '../../../core/json.ts';
import { addressesOf, isWhole, type Offer, type StatedOffers, unitOf } from './offer.ts';

const weights = {
  payee_changed: 4,
  added_payee: 4,
  priced_payee: 4,
  unit_changed: 4,
  raised_tenfold: 3,
  raised_twofold: 2,
  raised: 1,
  price_changed: 1,
  added: 1,
  priced: 1,
  lowered: 0,
  removed: 0,
  unpriced: 0,
} as const;

type OfferClass = keyof typeof weights;

export interface OfferChange {
  readonly class: OfferClass;
  readonly was?: Offer;
  readonly is?: Offer;
}

export const weightOfOffer = ({ class: of }: Pick<OfferChange, 'class'>): number => weights[of];

type Pair = Readonly<Record<'was' | 'is', Offer>>;
const paysOf = ({ pays }: Offer): string => JSON.stringify(pays ?? []);

const decimal = /^\d{1,20}(?:\.\d{1,20})?$/;

export function isRaised({ was, is }: Pair): boolean | undefined {
  const { amount: before = '' } = was;
  const { amount: after = '' } = is;
  if (unitOf(was) !== unitOf(is) || before === after) return undefined;
  if (isWhole(before) && isWhole(after)) return BigInt(after) > BigInt(before);
  return decimal.test(before) && decimal.test(after) ? Number(after) > Number(before) : undefined;
}

function classOf(pair: Pair): OfferClass {
  const { was, is } = pair;
  if (paysOf(was) !== paysOf(is)) return 'payee_changed';
  if (unitOf(was) !== unitOf(is)) return 'unit_changed';
  const how = isRaised(pair);
  if (!how) return how === false ? 'lowered' : 'price_changed';
  const factor = Number(is.amount) / Number(was.amount);
  return factor >= 10 ? 'raised_tenfold' : factor >= 2 ? 'raised_twofold' : 'raised';
}

const pairedBy = [(one: Offer) => `${unitOf(one)} ${one.amount}`, unitOf, (one: Offer) => one.for ?? ''];

export function changesOf(before: readonly Offer[], after: readonly Offer[]): OfferChange[] {
  const found = difference(before, after, { key: (one) => unitOf(one as Offer) });
  let gone = found.flatMap((one) => (one.was as Offer | undefined) ?? []);
  let added = found.flatMap((one) => (one.is as Offer | undefined) ?? []);
  const pairs: Pair[] = [];
  for (const nameOf of pairedBy) {
    const now = Map.groupBy(added, nameOf);
    const made = gone.map((was) => ({ was, is: now.get(nameOf(was))?.shift() }));
    pairs.push(...made.flatMap(({ was, is }) => (is ? [{ was, is }] : [])));
    gone = made.flatMap(({ was, is }) => (is ? [] : [was]));
    added = [...now.values()].flat();
  }
  const paid = new Set(addressesOf(before));
  const had = new Set(before.map((one) => one.for));
  const has = new Set(after.map((one) => one.for));
  const addedAs = (is: Offer): OfferClass => {
    const isPayee = addressesOf([is]).some((one) => !paid.has(one));
    if (had.has(is.for)) return isPayee ? 'added_payee' : 'added';
    return isPayee ? 'priced_payee' : 'priced';
  };
  const changes: OfferChange[] = [
    ...pairs.map((pair) => ({ class: classOf(pair), ...pair })),
    ...added.map((is) => ({ class: addedAs(is), is })),
    ...gone.map((was): OfferChange => ({ class: has.has(was.for) ? 'removed' : 'unpriced', was })),
  ];
  return changes.sort((a, b) => weightOfOffer(b) - weightOfOffer(a));
}

const isIn = ({ varies = [] }: StatedOffers, name: string) => varies.some((one) => one === name);

export function offersDifference(was: Json, is: Json) {
  const before = was as unknown as StatedOffers;
  const after = is as unknown as StatedOffers;
  const isOther = (...names: readonly string[]) =>
    names.some((name) => isIn(before, name) !== isIn(after, name));
  const items = [
    ...changesOf(before.offers, after.offers),
    ...(isOther('pay_to', 'unreadable') ? [{ class: 'payee_changed' as const }] : []),
    ...(isOther('amount', 'offers') ? [{ class: 'price_changed' as const }] : []),
  ];
  const byClass = Map.groupBy(items, (one) => one.class);
  return { items, counts: Object.fromEntries([...byClass].map(([name, all]) => [name, all.length])) };
}
