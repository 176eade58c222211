import { hash } from 'node:crypto';
import { asMembers, readBase64Object, readObject } from '../../../core/json.ts';
import { own, say, type Words } from '../../../core/words.ts';
import { type Fetched, mayPass, type NoAnswer } from '../../../net/answer.ts';
import { challengesOf } from '../../../net/challenges.ts';
import type { EndpointAnswer } from '../../endpoint/conversation.ts';
import { isLearnedOutcome } from '../../outcome.ts';
import {
  besideAmong,
  digestOf,
  type Offer,
  type OffersSummary,
  readAccepted,
  type StatedOffers,
  statesOffers,
  toOffer,
  toOffers,
} from '../../prices/offer.ts';
import { ofRemotes, type RemoteFinding } from '../../remotes.ts';

/** MPP: `WWW-Authenticate: Payment method=..., intent=..., request=<base64url JSON>`. */
const readChallenges = (response: Fetched): Offer[] =>
  challengesOf(response)
    .filter(({ scheme, parameters }) => scheme === 'payment' && parameters.size > 0)
    .map(({ parameters }) => {
      const [network, scheme, request] = ['method', 'intent', 'request'].map((name) => parameters.get(name));
      const read = readBase64Object(request ?? '');
      if (!read) return { unreadable: digestOf([network, scheme, request].map((one) => one ?? null)) };
      const { amount, currency: asset, recipient: pay_to, methodDetails = {}, ...others } = read;
      const { chainId: chain_id } = asMembers(methodDetails);
      const beside = [...besideAmong(others), ...besideAmong({ methodDetails })];
      const stated = { network, scheme, amount, asset, pay_to, chain_id, beside };
      return toOffer(stated, ['amount', 'asset', 'network', 'scheme']);
    });

/** Version 2 has the header PAYMENT-REQUIRED (base64 JSON), or a JSON body as version 1 does. */
const readX402 = (version: 1 | 2, { headers, text }: Fetched): Offer[] | undefined => {
  const header = version === 2 ? headers['payment-required'] : undefined;
  const required = header === undefined ? readObject(text) : readBase64Object(header);
  const isRead = required?.x402Version === version && Array.isArray(required.accepts);
  return isRead ? (required.accepts as unknown[]).map((one) => readAccepted(one)) : undefined;
};

function quotedIn(response: Fetched): Offer[] | undefined {
  const challenges = readChallenges(response);
  const known = [
    readX402(2, response),
    readX402(1, response),
    challenges.length > 0 ? challenges : undefined,
  ];
  return known.some(Boolean) ? known.flatMap((offers) => offers ?? []) : undefined;
}

const volatile = { pay_to: 'pays', unreadable: 'unreadable' } as const;

/** Some endpoints name other payees in each answer. What the two answers have differently is left out. */
function withoutVolatile(quoted: readonly Offer[], response: Fetched | undefined): StatedOffers {
  const again = (response && quotedIn(response)) ?? [];
  if (again.length === 0) return { offers: toOffers(quoted) };
  const without = (offers: readonly Offer[], names: readonly (keyof typeof volatile)[]) =>
    toOffers(
      offers.map((one) => {
        const left = new Set<string>(names.map((name) => volatile[name]));
        return Object.fromEntries(Object.entries(one).filter(([name]) => !left.has(name)));
      }),
    );
  for (const varies of [[], ['pay_to'], ['unreadable'], ['pay_to', 'unreadable']] as const) {
    const offers = without(quoted, varies);
    if (JSON.stringify(offers) === JSON.stringify(without(again, varies)))
      return { offers, ...(varies.length > 0 && { varies: [...varies] }) };
  }
  return { offers: toOffers(quoted) };
}

/** Behind credentials, or without an answer to the question for tools, it is not known whether to pay. */
const withoutPayment = ({ credentials, list }: EndpointAnswer): NoAnswer | undefined =>
  list.result === 'no_answer' && (credentials || !isLearnedOutcome(list.outcome)) ? list : undefined;

const noPrice = {
  value: null,
  outcome: 'nothing' as const,
  why: own(
    'The endpoint did not ask for a payment (HTTP 402) when Dossier asked what it is and which tools it has; Dossier calls no tool, and a call may still cost something.',
  ),
};

const noneQuoted = ({ headers, text }: Fetched, isKnown: boolean) => ({
  value: null,
  outcome: 'asks' as const,
  asks_for: 'payment' as const,
  ...mayPass({ headers, text }, 'payment'),
  why: own(
    `The endpoint asked for a payment (HTTP 402) ${isKnown ? 'and offered no way to pay' : 'in a form that Dossier does not know'}.`,
  ),
  as_seen: {
    sha256_of_body: hash('sha256', text),
    ...(headers['payment-required'] && {
      sha256_of_payment_required: hash('sha256', headers['payment-required']),
    }),
  },
});

function unreadWords({ unreadable, count }: OffersSummary): Words | undefined {
  return unreadable === undefined
    ? undefined
    : say`Dossier could not read ${unreadable} of the ${count} offers, or not whole, so it may not know every payee.`;
}

function toFinding(endpoint: EndpointAnswer): RemoteFinding<OffersSummary> | NoAnswer {
  const { payment, paymentAgain } = endpoint;
  if (!payment) return withoutPayment(endpoint) ?? noPrice;
  const quoted = quotedIn(payment);
  if (!quoted?.length) return noneQuoted(payment, quoted !== undefined);
  const { offers, varies } = withoutVolatile(quoted, paymentAgain);
  const found = statesOffers('quote', offers, varies);
  const why = unreadWords(found.value);
  const mayEnd = found.value.unreadable === found.value.count ? mayPass(payment, 'payment') : {};
  return { ...found, ...mayEnd, ...(why && { why }) };
}

export const quotes = ofRemotes(toFinding).check;
