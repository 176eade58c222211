import { hash } from 'node:crypto';
import { asObject, readBase64Object, readObject } from '../../../core/json.ts';
import { statedAddress } from '../../../core/payee.ts';
import { count, own, say, type Words } from '../../../core/words.ts';
import { canonicalDigest } from '../../../log/leaf.ts';
import { type Fetched, mayPass, type NoAnswer, noAnswer, notAsked } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import {
  type BeforeChange,
  defineKind,
  type JoinedPart,
  type PartComparison,
  type ShownFinding,
} from '../../kind.ts';
import { isLearnedOutcome } from '../../outcome.ts';
import { ofRemotes } from '../../remotes.ts';
import { convert, toCaip19 } from './assets.ts';
import { hasLess, joinOffers, knownOnBoth, type StatedOffers } from './known-on-both.ts';
import {
  allOffers,
  offersChange,
  offersWeight,
  offersWords,
  offerText,
  type PaidOffer,
  paidOffers,
  readOffers,
  toNetwork,
  toPaidOffers,
} from './offers.ts';

export interface Offer {
  /** The format of the quote: `x402/1`, `x402/2` or `mpp`. */
  readonly format: string;
  /** A scheme such as `exact`, `upto` or `charge`. */
  readonly scheme: string;
  /** A CAIP-2 name, or any other name that was quoted. */
  readonly network: string;
  /** A whole number of the asset's smallest unit. */
  readonly amount: string;
  readonly asset: string;
  readonly pay_to?: string;
  /** The id of the chain within the network (MPP). */
  readonly chain_id?: number;
  /** The amount as Dossier's own table converts it; absent for assets that are not in it. */
  readonly our_conversion?: string;
}

const mostOffers = 20;
/** The most offers of several parts that are kept together. */
const mostJoined = 40;
/** A uint256 has at most 78 digits. */
const wholeNumberForm = /^(?:0|[1-9]\d{0,77})$/;
/** Other characters could hide or reorder the text around an identifier. */
const identifier = /^[\x21-\x7e]{1,200}$/;

export const isWholeNumber = (value: unknown): value is string =>
  typeof value === 'string' && wholeNumberForm.test(value);

export const isIdentifier = (value: unknown): value is string =>
  typeof value === 'string' && identifier.test(value);

/** Returns undefined if a member other than `chain_id` cannot be read. */
function toOffer(
  quoted: Readonly<Record<Exclude<keyof Offer, 'format' | 'our_conversion'>, unknown>> & { format: string },
): Offer | undefined {
  const { format, scheme, network, amount, asset, pay_to, chain_id } = quoted;
  if (!isIdentifier(scheme) || !isIdentifier(network) || !isIdentifier(asset)) return undefined;
  if (!isWholeNumber(amount)) return undefined;
  if (pay_to !== undefined && !isIdentifier(pay_to)) return undefined;
  const chain = Number.isSafeInteger(chain_id) ? (chain_id as number) : undefined;
  const converted = convert(amount, toCaip19(chain === undefined ? network : `eip155:${chain}`, asset));
  return {
    format,
    scheme,
    network,
    amount,
    asset,
    ...(pay_to !== undefined && { pay_to: statedAddress(pay_to, toNetwork(network, chain)) }),
    ...(chain !== undefined && { chain_id: chain }),
    ...(converted && { our_conversion: converted }),
  };
}

/** At most this many offers of one list are read, because a list of 2 MiB may have thousands. */
const mostRead = 1000;

/** `seen` also counts offers that cannot be read or are not read; `isCut` says that some are not read. */
export const decodeOffers = <T>(quoted: readonly T[], read: (one: T) => Offer | undefined) => ({
  seen: quoted.length,
  isCut: quoted.length > mostRead,
  offers: quoted
    .slice(0, mostRead)
    .map(read)
    .filter((offer) => offer !== undefined),
});

const read = ({ parameters }: ReturnType<typeof challengesOf>[number]) => {
  const { amount, currency, recipient, methodDetails } =
    readBase64Object(parameters.get('request') ?? '') ?? {};
  const { chainId } = asObject(methodDetails) ?? {};
  const scheme = parameters.get('intent');
  const network = parameters.get('method');
  return toOffer({
    format: 'mpp',
    scheme,
    network,
    amount,
    asset: currency,
    pay_to: recipient,
    chain_id: chainId,
  });
};

/**
 * A challenge of the Machine Payments Protocol is `WWW-Authenticate: Payment method=..., intent=...,
 * request=<base64url JSON>`.
 */
function decodeMpp(response: Fetched) {
  const challenges = challengesOf(response).filter(({ scheme }) => scheme === 'payment');
  return challenges.length > 0 ? decodeOffers(challenges, read) : undefined;
}

/** The versions of x402 name the amount differently. */
export const readAccepted = (version: 1 | 2) => (one: unknown) => {
  const { scheme, network, amount, maxAmountRequired, asset, payTo } = asObject(one) ?? {};
  if (payTo === undefined) return undefined;
  return toOffer({
    scheme,
    network,
    asset,
    pay_to: payTo,
    chain_id: undefined,
    format: `x402/${version}`,
    amount: version === 1 ? maxAmountRequired : amount,
  });
};

/**
 * Version 2 sends its requirements in the header PAYMENT-REQUIRED (base64 JSON) or else, as version 1 does,
 * in a JSON body.
 */
const decodeX402 =
  (version: 1 | 2) =>
  ({ headers, text }: Fetched) => {
    const header = version === 2 ? headers['payment-required'] : undefined;
    const required = header === undefined ? readObject(text) : readBase64Object(header);
    return required?.x402Version === version && Array.isArray(required.accepts)
      ? decodeOffers(required.accepts, readAccepted(version))
      : undefined;
  };

/** A 402 response may use several formats. */
const formats = [decodeX402(2), decodeX402(1), decodeMpp];

/** Returns undefined if the endpoint asked for no payment. */
export function quotedOffers({ payment: response }: EndpointAnswer) {
  if (!response) return undefined;
  const decoded = formats.map((decode) => decode(response)).filter((one) => one !== undefined);
  return {
    response,
    quoted: {
      /** Whether the response has a form that Dossier reads, perhaps without an offer. */
      isKnown: decoded.length > 0,
      seen: decoded.reduce((sum, { seen }) => sum + seen, 0),
      isCut: decoded.some(({ isCut }) => isCut),
      offers: decoded.flatMap(({ offers }) => offers),
    },
  };
}

/** Returns undefined if all offers were read. */
export function unreadWords(endpoint: EndpointAnswer): Words | undefined {
  const { seen, offers, isCut } = quotedOffers(endpoint)?.quoted ?? { seen: 0, offers: [] };
  const unread = seen - offers.length;
  return unread > 0
    ? say`Dossier ${isCut ? own('did not read') : own('could not read')} ${unread} of the ${seen} offers, so it may not know every payee.`
    : undefined;
}

/**
 * If the endpoint asked for credentials first, or the check did not learn how it answers the question for its
 * tools, it is not known whether a payment is due.
 */
const withoutPayment = ({ credentials, list }: EndpointAnswer): NoAnswer | undefined =>
  list.result === 'no_answer' && (credentials || !isLearnedOutcome(list.outcome)) ? list : undefined;

const noneQuoted = (endpoint: EndpointAnswer): NoAnswer =>
  withoutPayment(endpoint) ??
  noAnswer(
    'nothing',
    own('The endpoint quoted no price when Dossier asked what it is and which tools it has.'),
  );

/** Says why no payee is known: no offer could be read, no payment was asked for, or nobody was named. */
export function noPayee(endpoint: EndpointAnswer): NoAnswer {
  const asked = quotedOffers(endpoint);
  if (!asked) return noneQuoted(endpoint);
  const { isKnown, seen, offers } = asked.quoted;
  return !isKnown || offers.length < seen
    ? notAsked(own('The endpoint asked for a payment, and Dossier could not read who is paid.'))
    : noAnswer('nothing', own('The endpoint asked for a payment and named nobody who is paid.'));
}

const noPrice = {
  value: null,
  outcome: 'nothing' as const,
  why: own(
    'The endpoint did not ask for a payment (HTTP 402) when Dossier asked what it is and which tools it has; Dossier calls no tool, and a call may still cost something.',
  ),
};

const noneRead = ({ headers, text }: Fetched, isKnown: boolean, seen: number) => ({
  value: null,
  outcome: 'asks' as const,
  asks_for: 'payment' as const,
  ...mayPass({ headers, text }, 'payment'),
  why:
    seen > 0
      ? say`The endpoint asked for a payment (HTTP 402) with ${count(seen, 'offer')}; Dossier found none with a whole number as its amount and plain identifiers, so it read no price.`
      : own(
          `The endpoint asked for a payment (HTTP 402) ${isKnown ? 'and offered no way to pay' : 'in a form that Dossier does not know'}.`,
        ),
  as_seen: {
    sha256_of_body: hash('sha256', text),
    ...(headers['payment-required'] && {
      sha256_of_payment_required: hash('sha256', headers['payment-required']),
    }),
  },
});

const toReason = (seen: number, offers: readonly Offer[]): Words | undefined =>
  seen > offers.length
    ? say`${seen} offers were sent; Dossier shows the first ${offers.length} that it could read.`
    : undefined;

function toFinding(endpoint: EndpointAnswer) {
  const asked = quotedOffers(endpoint);
  if (!asked) return withoutPayment(endpoint) ?? noPrice;
  const { isKnown, seen, offers } = asked.quoted;
  if (offers.length === 0) return noneRead(asked.response, isKnown, seen);
  const shown = offers.slice(0, mostOffers);
  const why = toReason(seen, shown);
  return {
    value: toPaidOffers(offers),
    outcome: 'seen' as const,
    ...(why && { why }),
    ...(seen > offers.length && { hasMore: true as const }),
    details: { offers: shown, ...(seen > shown.length && { quoted: seen }) },
  };
}

type StoredQuote = BeforeChange<PaidOffer[]> | ShownFinding<PaidOffer[]>;

/** `isStored`: all offers that could be read are stored. `isWhole`: all offers of the endpoint are stored. */
function statedIn({ value, value_digest, details, is_part }: StoredQuote) {
  const offers = allOffers({ value, ...(details && { details }) });
  const isStored = value_digest === undefined || canonicalDigest({ value: offers }) === value_digest;
  return { offers, isStored, isWhole: isStored && !is_part } satisfies StatedOffers & { isStored: boolean };
}

function compareQuoted(was: BeforeChange<PaidOffer[]>, now: ShownFinding<PaidOffer[]>): PartComparison {
  const before = statedIn(was);
  const after = statedIn(now);
  const known = knownOnBoth(before, after);
  if (offersChange(known.before, known.after)) return 'differs';
  // If all offers from before are kept, the offers that are not kept are new.
  const isKept = before.offers.every((one) =>
    after.offers.some((other) => offerText(other) === offerText(one)),
  );
  if (before.isWhole && !after.isStored && isKept) return 'differs';
  return hasLess(before, after) ? 'less' : 'same';
}

function joinQuoted(was: BeforeChange<PaidOffer[]>, now: ShownFinding<PaidOffer[]>): JoinedPart | undefined {
  const before = statedIn(was);
  const after = statedIn(now);
  const offers = toPaidOffers(joinOffers(before, after));
  if (!before.isStored || !after.isStored || offers.length > mostJoined) return undefined;
  return { value: offers, details: { ...now.details, offers } };
}

function quotedPartChange(
  was: BeforeChange<PaidOffer[]>,
  now: ShownFinding<PaidOffer[]>,
  between: Words,
): Words {
  const known = knownOnBoth(statedIn(was), statedIn(now));
  const change = offersChange(known.before, known.after);
  const part = now.is_part
    ? own('the endpoint quotes more than Dossier can read')
    : own('before, the endpoint quoted more than Dossier could read');
  return say`${change ?? own('Its offers changed')}; ${part} (${between})`;
}

export const priceChallenge = defineKind({
  kind: 'price.challenge',
  answers: 'price',
  entryName: 'price',
  line: 'costs',
  isLocked: true,
  priced: own('The endpoint quoted Dossier a price.'),
  question: 'price',
  title: 'Price that the endpoint quotes',
  topic: own('quoted price (amount, asset, network, scheme)'),
  means:
    'The offers that the endpoint quoted to Dossier (HTTP 402) before it introduced itself or sent one of its lists: for each, a whole number of the asset’s smallest unit, the asset, the network and the scheme.',
  doesNotMean:
    'Dossier pays nothing. The price does not say what a tool call costs, or that the recipient is the publisher.',
  changed: own('The endpoint quotes a different price'),
  value: paidOffers,
  say: (found) => offersWords(readOffers(found.value), allOffers(found).length),
  sayChange: (was, now, between) => {
    const quoted = allOffers(now);
    if (was.outcome === 'nothing')
      return say`It quotes ${offersWords(quoted)}, and quoted no price before (${between})`;
    if (was.is_part || now.is_part) return quotedPartChange(was, now, between);
    // If a list was shortened or not read whole, it is not known which offers are new and which are gone.
    const hasAll = now.details?.offers !== undefined;
    const isCut = now.value_digest !== undefined && !hasAll;
    if (was.value_digest !== undefined || now.details?.quoted !== undefined || isCut)
      return say`Its offers changed${hasAll ? say`; they are now ${offersWords(quoted)}` : say``} (${between})`;
    const change = offersChange(readOffers(was.value), quoted);
    return change && say`${change} (${between})`;
  },
  weighChange: (was, now) => offersWeight(readOffers(was.value), readOffers(now.value)),
  comparePart: compareQuoted,
  joinPart: joinQuoted,
  method_version: 'price/5',
  ...ofRemotes(toFinding),
});
