import { z } from 'zod';
import { asMembers, asObject, type Json, type JsonObject } from '../../../core/json.ts';
import { readNamedPayee, statedAddress, toAddress } from '../../../core/payee.ts';
import { toLine } from '../../../core/text.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import { convert, toCaip19, toChain } from './assets.ts';

const payee = z.strictObject({
  /** In lower case for eip155. */
  address: z.string(),
  amount: z.string().optional(),
});

export const offer = z.strictObject({
  /** Absent for the endpoint itself. */
  for: z.string().optional(),
  /** A whole number of the asset's smallest unit, dollars (`dollars`), or `dynamic`. */
  amount: z.string().optional(),
  /** In lower case for eip155, whose capitals are only a checksum. */
  asset: z.string().optional(),
  /** A CAIP-2 name, or the stated name of an unknown network. */
  network: z.string().optional(),
  /** Such as `exact`, `upto` or `charge`. */
  scheme: z.string().optional(),
  pays: z.array(payee).optional(),
  /** SHA-256 (RFC 8785) of what Dossier could not read. */
  unreadable: z.string().optional(),
});
export type Offer = z.infer<typeof offer>;

export const dollars = 'dollars';
export const dynamic = 'dynamic';

/**
 * What differs at two requests of one check. Payees and what is unreadable are left out of the offers; other
 * amounts of the same units, or other offers, are those of both requests.
 */
const varies = z.array(z.enum(['pay_to', 'unreadable', 'amount', 'offers'])).optional();

export interface StatedOffers {
  readonly offers: readonly Offer[];
  readonly varies?: z.infer<typeof varies>;
}

/** A uint256 has at most 78 digits. */
const wholeNumber = /^(?:0|[1-9]\d{0,77})$/;
/** Other characters could hide or reorder the text around it. */
const identifier = /^[\x21-\x7e]{1,200}$/;

export const isWhole = (value: unknown): value is string =>
  typeof value === 'string' && wholeNumber.test(value);

export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && identifier.test(value);

/** Another recipient, an account at an address, or a fee or deposit. */
const aside = /recipient|payee|pay_?to$|memo|destination|^tag$|fee|deposit|escrow|split/i;
const notPaid = /^(?:feePayer|feeToken)$/i;
/** Members that describe what is bought and not who is paid, or are lists of other offers. */
const ofService = /^(?:(?:in|out)put(?:Schema)?|extensions|description|accepts|challenges)$/;

export interface BesideMember {
  /** Only the end of the path is kept, because every member within repeats it. */
  readonly member: string;
  readonly value: string;
  /** It is an address, by its name that of somebody who is paid. */
  readonly pays?: PaidAddress;
}
type PaidAddress = z.infer<typeof payee>;

const longestName = 60;

/** Who else may be paid, or on what account. */
export const besideAmong = (members: object, path = '', isAround = false): BesideMember[] =>
  Object.entries(members).flatMap(([name, value]): BesideMember[] => {
    if (path === '' && ofService.test(name)) return [];
    const member = (path === '' ? name : `${path}.${name}`).slice(-longestName);
    const isAside = /^\d+$/.test(name) ? isAround : aside.test(name) && !notPaid.test(name);
    if (typeof value === 'object' && value !== null) return besideAmong(value, member, isAside);
    const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;
    if (!isIdentifier(text)) return [];
    const named = notPaid.test(name) ? undefined : readNamedPayee(text);
    if (!isAside && !named) return [];
    const { amount } = asMembers(members);
    const address = toAddress(text);
    const paid = { address, ...(isWhole(amount) && { amount }) };
    return [
      { member: toLine(member.toWellFormed()), value: address, ...(isAside && named && { pays: paid }) },
    ];
  });

export interface OfferMembers {
  readonly for?: string | undefined;
  readonly amount?: unknown;
  readonly asset?: unknown;
  readonly network?: unknown;
  readonly scheme?: unknown;
  readonly pay_to?: unknown;
  readonly chain_id?: unknown;
  readonly beside?: readonly BesideMember[];
}

export function readMembers(stated: OfferMembers) {
  const { amount, asset, network, scheme, pay_to, chain_id, beside = [], ...of } = stated;
  // MPP may name the chain beside its method.
  const chain = Number.isSafeInteger(chain_id) ? `eip155:${chain_id}` : undefined;
  const on = isIdentifier(network) ? (chain ?? toChain(network)) : undefined;
  const recipient = isIdentifier(pay_to) ? toAddress(statedAddress(pay_to, on)) : undefined;
  const paid: PaidAddress[] = [
    ...(recipient === undefined ? [] : [{ address: recipient }]),
    ...beside.flatMap((one) => one.pays ?? []),
  ];
  const pays = sortedBy(paid, ({ address, amount: part = '' }) => `${address} ${part}`);
  const read = {
    ...(of.for !== undefined && { for: of.for }),
    ...(isWhole(amount) && { amount }),
    ...(isIdentifier(asset) && { asset: toAddress(asset) }),
    ...(on !== undefined && { network: on }),
    ...(isIdentifier(scheme) && { scheme }),
  };
  return { read, recipient, pays };
}

const members = ['amount', 'asset', 'network', 'scheme', 'pay_to'] as const;

/** `needs` must be stated. Beside an unreadable member, payees are kept only if nobody else may be paid. */
export function toOffer(stated: OfferMembers, needs: readonly (keyof OfferMembers)[] = members): Offer {
  const { read, pays } = readMembers(stated);
  const unread = members.filter((name) => {
    const isRead = name === 'amount' ? isWhole : isIdentifier;
    return !isRead(stated[name]) && (stated[name] !== undefined || needs.includes(name));
  });
  const unknown = (stated.beside ?? []).filter((one) => !one.pays && readNamedPayee(one.value));
  const rest = [...unread.map((name) => [name, stated[name] ?? null]), ...unknown.map(Object.values)];
  const arePaid = !unread.includes('pay_to') && !(unread.length > 0 && unknown.length > 0);
  return {
    ...read,
    ...(pays.length > 0 && arePaid && { pays }),
    ...(rest.length > 0 && { unreadable: digestOf(rest) }),
  };
}

export const hidesPayees = ({ unreadable, pays, amount, asset, network, scheme }: Offer): boolean =>
  unreadable !== undefined && (!pays || [amount, asset, network, scheme].every((one) => one !== undefined));

export const digestOf = (unread: unknown): string => canonicalDigest({ unread: unread ?? null });

const sortedBy = <T>(all: readonly T[], keyOf: (one: T) => string): T[] =>
  [...new Map(all.map((one) => [keyOf(one), one]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);

/** Two stated values of one member, of which a client may read either. An object stands for a difference. */
export function agreed(one: unknown, other: unknown): unknown {
  if (one == null || other == null || one === other) return one ?? other ?? undefined;
  return typeof one !== 'object' && String(one) === String(other) ? one : { one, other };
}

/** Versions and packages of x402 name some members differently. */
export function x402Members(stated: JsonObject): OfferMembers {
  const { scheme, network, amount, maxAmountRequired, asset, payTo, pay_to, extra = {}, ...others } = stated;
  return {
    scheme,
    network,
    asset,
    pay_to: agreed(payTo, pay_to),
    amount: agreed(amount, maxAmountRequired),
    beside: [...besideAmong(others), ...besideAmong({ extra })],
  };
}

/** Machine Payments Protocol, with the method and intent of the challenge. */
export function mppMembers(request: JsonObject, network: unknown, scheme: unknown): OfferMembers {
  const { amount, currency: asset, recipient: pay_to, methodDetails = {}, ...others } = request;
  const { chainId: chain_id } = asMembers(methodDetails);
  const beside = [...besideAmong(others), ...besideAmong({ methodDetails })];
  return { network, scheme, amount, asset, pay_to, chain_id, beside };
}

export function readAccepted(stated: unknown, tool?: string): Offer {
  const of = tool === undefined ? {} : { for: tool };
  const one = asObject(stated);
  return one ? toOffer({ ...of, ...x402Members(one) }) : { ...of, unreadable: digestOf(stated) };
}

const longestTool = 200;

export const toToolName = (name: unknown): string | undefined =>
  typeof name === 'string' && name.trim() !== '' ? name.slice(0, longestTool) : undefined;

/** `input.tool` in the Bazaar, `input.toolName` in the packages of x402, or the name beside the address. */
export function toolOf(item: JsonObject): string | undefined {
  const { info } = asMembers(asMembers(item.extensions).bazaar);
  const inputs = [item, asMembers(info).input, asMembers(item.discoveryInfo).input].map(asMembers);
  const named = inputs.map(({ toolName, tool }) => toToolName(toolName) ?? toToolName(tool));
  return named.find((name) => name !== undefined);
}

/** A way to pay for a resource of a catalogue. */
export const readListed = (stated: unknown, resource: JsonObject): Offer =>
  readAccepted(stated, toolOf(resource));

/** Amounts are compared within one unit. */
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

/** Each once, by tool; dollars that Dossier knows come first, and low amounts. */
export const toOffers = (all: readonly Offer[]): Offer[] => sortedBy(all, rankOf);

export const addressesOf = (offers: readonly Offer[]): string[] => [
  ...new Set(offers.flatMap(({ pays = [] }) => pays.map(({ address }) => address))),
];

const mostShown = 10;
const mostPayees = 40;
const mostTools = 20;

export const placeNames = ['quote', 'tools', 'capabilities', 'openapi', 'x402', 'catalog'] as const;
export type PlaceName = (typeof placeNames)[number];

/** What lines, hits and criteria read. */
export const offersSummary = z.strictObject({
  place: z.enum(placeNames),
  count: z.number(),
  /** `unreadable` offers are those that Dossier could not read whole. */
  priced: z.number(),
  unreadable: z.number().optional(),
  /** Of each tool one, before a second one of any. */
  offers: z.array(offer),
  cheapest: z.array(offer).optional(),
  dearest: z.array(offer).optional(),
  payees: z.array(z.strictObject({ address: z.string(), network: z.string() })),
  all_payees: z.strictObject({ count: z.number(), sha256: z.string() }).optional(),
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
  const priced = offers.flatMap(({ pays, unreadable, for: _, ...price }) =>
    isWhole(price.amount) ? [{ ...price, whole: BigInt(price.amount) }] : [],
  );
  const byAsset = Map.groupBy(priced, ({ network, asset }) => `${network} ${asset}`).values();
  const ordered = [...byAsset.take(mostShown)].map((some) =>
    some.toSorted((a, b) => (a.whole < b.whole ? -1 : 1)).map(({ whole, ...price }) => price),
  );
  return {
    cheapest: ordered.flatMap((some) => some.at(0) ?? []),
    dearest: ordered.flatMap((some) => some.at(-1) ?? []),
  };
}

function toSummary(place: PlaceName, { offers, varies: other }: StatedOffers): OffersSummary {
  const first = firstOffers(offers);
  const all = offers.flatMap(({ pays = [], network = '' }) =>
    pays.map(({ address }) => ({ address, network })),
  );
  const payees = sortedBy(all, ({ address, network }) => `${address} ${network}`);
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

export const areOthersEachTime = ({ varies = [] }: Pick<OffersSummary, 'varies'>): boolean =>
  varies.includes('amount') || varies.includes('offers');

/** Also what stands for addresses that are not named. */
export const payeesIn = ({ payees, all_payees, varies = [] }: OffersSummary): string[] => [
  ...new Set([
    ...payees.map(({ address }) => address),
    ...(all_payees ? [all_payees.sha256] : []),
    ...varies.filter((one) => one === 'pay_to' || one === 'unreadable'),
  ]),
];

export const pricesIn = ({ offers, count, varies = [] }: OffersSummary): string[] => [
  ...new Set(offers.map(({ pays: _, ...price }) => JSON.stringify(price))),
  ...(count > offers.length ? [String(count)] : []),
  ...varies.filter((one) => one === 'amount' || one === 'offers'),
];
