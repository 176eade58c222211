import { z } from 'zod';
import { asObject, type Json, type JsonObject } from '../../core/json.ts';
import { readNamedPayee, statedAddress, toAddress } from '../../core/payee.ts';
import { toLine } from '../../core/text.ts';
import { canonicalDigest } from '../../log/leaf.ts';
import { convert, toCaip19, toChain } from './assets.ts';

const payee = z.strictObject({
  /** An eip155 address is in lower case. */
  address: z.string(),
  amount: z.string().optional(),
});

/** A price, wherever it is stated. Members that are not stated are absent. */
export const offer = z.strictObject({
  /** The tool or operation that is paid for; absent for the endpoint itself. */
  for: z.string().optional(),
  /** A whole number of the asset's smallest unit, dollars (`dollars`), or `dynamic`. */
  amount: z.string().optional(),
  /** An eip155 address is in lower case, since its capitals are only a checksum. */
  asset: z.string().optional(),
  /** A CAIP-2 name, or the stated name of a network that Dossier does not know. */
  network: z.string().optional(),
  /** A scheme such as `exact`, `upto` or `charge`. */
  scheme: z.string().optional(),
  pays: z.array(payee).optional(),
  /** SHA-256 (RFC 8785) of what Dossier could not read of this offer. */
  unreadable: z.string().optional(),
});
export type Offer = z.infer<typeof offer>;

export const dollars = 'dollars';
export const dynamic = 'dynamic';

/** What differs at two requests of one check is left out of the offers and named in `varies`. */
const varies = z.array(z.enum(['pay_to', 'unreadable'])).optional();

export interface StatedOffers {
  readonly offers: readonly Offer[];
  readonly varies?: z.infer<typeof varies>;
}

/** A uint256 has at most 78 digits. */
const wholeNumber = /^(?:0|[1-9]\d{0,77})$/;
/** Other characters could hide or reorder the text around an identifier. */
const identifier = /^[\x21-\x7e]{1,200}$/;

export const isWholeNumber = (value: unknown): value is string =>
  typeof value === 'string' && wholeNumber.test(value);

export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && identifier.test(value);

/** MPP states the method of payment, and may state the id of the chain beside it. */
export const toNetwork = (network: string, chain_id?: number): string =>
  chain_id === undefined ? toChain(network) : `eip155:${chain_id}`;

/** Members that name another recipient, an account at an address, or a fee or deposit beside the amount. */
const aside = /recipient|payee|pay_?to$|memo|destination|^tag$|fee|deposit|escrow|split/i;
/** Members with an address that gets nothing: the token of a fee, or who pays the fee of the network. */
const notPaid = /^(?:feePayer|feeToken)$/i;
/** Members that describe what is bought and not who is paid, or are lists of other offers. */
const ofService = /^(?:(?:in|out)put(?:Schema)?|extensions|description|accepts|challenges)$/;

export interface BesideMember {
  /** The names that lead to it; only their end is kept, because every member within repeats them. */
  readonly member: string;
  readonly value: string;
  /** It is an address, by its name that of somebody who is paid. */
  readonly pays?: PaidAddress;
}
type PaidAddress = z.infer<typeof payee>;

const longestName = 60;

interface Around {
  readonly path: string;
  readonly isAside: boolean;
  readonly amount: unknown;
}

function besideIn(value: unknown, name: string, { path, isAside, amount }: Around): BesideMember[] {
  const isAmong = /^\d+$/.test(name) ? isAside : aside.test(name);
  const end = path.slice(-longestName);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([inner, one]) =>
      besideIn(one, inner, { path: `${end}.${inner}`, isAside: isAmong, amount: asObject(value)?.amount }),
    );
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;
  if (!isIdentifier(text)) return [];
  const named = notPaid.test(name) ? undefined : readNamedPayee(text);
  if (!isAmong && !named) return [];
  const paid = { address: toAddress(text), ...(isWholeNumber(amount) && { amount }) };
  return [
    { member: toLine(end.toWellFormed()), value: toAddress(text), ...(isAmong && named && { pays: paid }) },
  ];
}

/** The members among these that may say who else is paid, or on what account. */
export const besideAmong = (members: JsonObject, around = ''): BesideMember[] =>
  Object.entries(members).flatMap(([name, one]) =>
    ofService.test(name)
      ? []
      : besideIn(one, name, { path: `${around}${name}`, isAside: false, amount: undefined }),
  );

interface OfferMembers {
  readonly for?: string | undefined;
  readonly amount?: unknown;
  readonly asset?: unknown;
  readonly network?: unknown;
  readonly scheme?: unknown;
  readonly pay_to?: unknown;
  readonly chain_id?: unknown;
  readonly beside?: readonly BesideMember[];
}

/** `needs` must be stated. Beside an unreadable member, payees are kept only if nobody else may be paid. */
export function toOffer(stated: OfferMembers, needs: readonly (keyof OfferMembers)[]): Offer {
  const { amount, asset, network, scheme, pay_to, chain_id, beside = [] } = stated;
  const chain = Number.isSafeInteger(chain_id) ? (chain_id as number) : undefined;
  const on = isIdentifier(network) ? toNetwork(network, chain) : undefined;
  const unread = (['amount', 'asset', 'network', 'scheme', 'pay_to'] as const).filter((name) => {
    const isRead = name === 'amount' ? isWholeNumber : isIdentifier;
    return !isRead(stated[name]) && (stated[name] !== undefined || needs.includes(name));
  });
  const unknown = beside.filter(({ pays, value }) => !pays && readNamedPayee(value));
  const rest = [...unread.map((name) => [name, stated[name] ?? null]), ...unknown.map(Object.values)];
  const recipient = isIdentifier(pay_to) ? [{ address: toAddress(statedAddress(pay_to, on)) }] : [];
  const arePaid = !unread.includes('pay_to') && !(unread.length > 0 && unknown.length > 0);
  const pays = sorted([...recipient, ...beside.flatMap((one) => one.pays ?? [])]);
  return {
    ...(stated.for !== undefined && { for: stated.for }),
    ...(isWholeNumber(amount) && { amount }),
    ...(isIdentifier(asset) && { asset: toAddress(asset) }),
    ...(on !== undefined && { network: on }),
    ...(isIdentifier(scheme) && { scheme }),
    ...(pays.length > 0 && arePaid && { pays }),
    ...(rest.length > 0 && { unreadable: digestOf(rest) }),
  };
}

/** Tells whether what could not be read of an offer may say who is paid. */
export const hidesPayees = ({ unreadable, pays, amount, asset, network, scheme }: Offer): boolean =>
  unreadable !== undefined && (!pays || [amount, asset, network, scheme].every((one) => one !== undefined));

export const digestOf = (unread: unknown): string => canonicalDigest({ unread: unread ?? null });

const sorted = (pays: readonly PaidAddress[]): PaidAddress[] =>
  [...new Map(pays.map((one) => [`${one.address} ${one.amount ?? ''}`, one]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);

/** Two stated values of one member, of which a client may read either. An object stands for a difference. */
export function agreed(one: unknown, other: unknown): unknown {
  if (one == null || other == null || one === other) return one ?? other ?? undefined;
  return typeof one !== 'object' && String(one) === String(other) ? one : { one, other };
}

/** Reads a way to pay of x402, in either version: they name the amount differently. */
export function readAccepted(stated: unknown, tool?: string): Offer {
  const of = tool === undefined ? {} : { for: tool };
  const members = asObject(stated);
  if (!members) return { ...of, unreadable: digestOf(stated) };
  const { scheme, network, amount, maxAmountRequired, asset, payTo, extra = {}, ...others } = members;
  return toOffer(
    {
      ...of,
      scheme,
      network,
      asset,
      pay_to: payTo,
      amount: agreed(amount, maxAmountRequired),
      beside: [...besideAmong(others), ...besideAmong({ extra })],
    },
    ['amount', 'asset', 'network', 'scheme', 'pay_to'],
  );
}

export const isWhole = (amount: string | undefined): amount is string => /^\d{1,78}$/.test(amount ?? '');

/** Offers with the same tool, network, asset and scheme can be compared by amount. */
export const unitOf = ({ for: of = '', network = '', asset = '', scheme = '' }: Offer): string =>
  JSON.stringify([of, network, asset, scheme]);

export const convertedOf = ({ amount, network, asset }: Offer): string | undefined =>
  isWhole(amount) && network !== undefined && asset !== undefined
    ? convert(amount, toCaip19(network, asset))
    : undefined;

const rankOf = (one: Offer): string => {
  const { for: of = '', amount = '', pays } = one;
  const isDollars = convertedOf(one)?.includes('USD');
  return JSON.stringify([of, isDollars ? 0 : 1, unitOf(one), amount.padStart(78, '0'), pays, one.unreadable]);
};

/** The canonical list: each offer once, by tool; dollars that Dossier knows come first, and low amounts. */
export const toOffers = (all: readonly Offer[]): Offer[] =>
  [...new Map(all.map((one) => [rankOf(one), one]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);

export const addressesOf = (offers: readonly Offer[]): string[] => [
  ...new Set(offers.flatMap(({ pays = [] }) => pays.map(({ address }) => address))),
];

const mostShown = 10;
const mostPayees = 40;
const mostTools = 20;

/** Where prices are stated: in the answer of the endpoint (HTTP 402), or somewhere else. */
export const placeNames = ['quote', 'tools', 'capabilities', 'openapi', 'x402', 'catalog'] as const;
export type PlaceName = (typeof placeNames)[number];

/** What lines, hits and criteria read of the offers at a place. */
export const offersSummary = z.strictObject({
  place: z.enum(placeNames),
  count: z.number(),
  /** How many of the offers have an amount, and how many Dossier could not read, or not whole. */
  priced: z.number(),
  unreadable: z.number().optional(),
  /** The first ten offers; of each tool one, before a second one of any. */
  offers: z.array(offer),
  /** Of each asset, the lowest and the highest amount, if `offers` has not all. */
  cheapest: z.array(offer).optional(),
  dearest: z.array(offer).optional(),
  /** The first forty of those who are paid, on each network. */
  payees: z.array(z.strictObject({ address: z.string(), network: z.string() })),
  /** If there are more payees: how many there are, and the SHA-256 of all. */
  all_payees: z.strictObject({ count: z.number(), sha256: z.string() }).optional(),
  /** The first twenty tools or operations, and how many there are. */
  tools: z.array(z.string()).optional(),
  tools_count: z.number().optional(),
  varies,
});
export type OffersSummary = z.infer<typeof offersSummary>;

function firstOffers(offers: readonly Offer[]): Offer[] {
  const ofTools = [...Map.groupBy(offers, (one) => one.for).values()];
  const ranked = ofTools.flatMap((some) => some.map((one, rank) => ({ one, rank })));
  const first = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, mostShown);
  return toOffers(first.map(({ one }) => one));
}

function boundsOf(offers: readonly Offer[]) {
  const byAsset = Map.groupBy(
    offers.filter(({ amount }) => isWhole(amount)),
    ({ network, asset }) => `${network} ${asset}`,
  );
  const ordered = [...byAsset.values()]
    .slice(0, mostShown)
    .map((some) => some.toSorted((a, b) => (BigInt(a.amount ?? 0) < BigInt(b.amount ?? 0) ? -1 : 1)));
  const bare = (one: Offer | undefined): Offer[] => {
    const { pays: _, unreadable: __, for: ___, ...price } = one ?? {};
    return one ? [price] : [];
  };
  return {
    cheapest: ordered.flatMap((some) => bare(some[0])),
    dearest: ordered.flatMap((some) => bare(some.at(-1))),
  };
}

function toSummary(place: PlaceName, { offers, varies: other }: StatedOffers): OffersSummary {
  const first = firstOffers(offers);
  const all = offers.flatMap(({ pays = [], network = '' }) =>
    pays.map(({ address }) => ({ address, network })),
  );
  const payees = [...new Map(all.map((one) => [`${one.address} ${one.network}`, one]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
  const tools = [...new Set(offers.flatMap((one) => one.for ?? []))];
  const unreadable = offers.filter((one) => one.unreadable !== undefined).length;
  return {
    place,
    count: offers.length,
    priced: offers.filter(({ amount }) => amount !== undefined).length,
    ...(unreadable > 0 && { unreadable }),
    offers: first,
    ...(first.length < offers.length && boundsOf(offers)),
    payees: payees.slice(0, mostPayees),
    ...(payees.length > mostPayees && {
      all_payees: { count: payees.length, sha256: canonicalDigest({ payees }) },
    }),
    ...(tools.length > 0 && { tools: tools.slice(0, mostTools), tools_count: tools.length }),
    ...(other && { varies: other }),
  };
}

export function statesOffers(place: PlaceName, stated: readonly Offer[], other?: StatedOffers['varies']) {
  const offers = toOffers(stated);
  const all = { offers, ...(other && { varies: other }) };
  return { value: toSummary(place, all), whole: all as unknown as Json, outcome: 'seen' as const };
}

export const allIn = ({ offers, count }: OffersSummary): readonly Offer[] | undefined =>
  offers.length === count ? offers : undefined;

export const isAnotherEachTime = (value: OffersSummary | null | undefined): boolean =>
  value?.varies?.includes('pay_to') === true;
