import { createHash } from 'node:crypto';
import type { Fetched } from '../../observation/answer.ts';
import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import { type Offer, offerText } from './offer.ts';
import { quotedOffers, withoutPayment } from './quoted-offers.ts';

const noPrice = {
  value: null,
  state: 'no_price_seen' as const,
  reason:
    'The endpoint did not answer with HTTP 402 when Dossier asked what it is and which tools it has; Dossier calls no tool, and a call may still cost.',
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A 402 without a price that can be read: its digest, and why. */
const unrecognised = ({ headers, text }: Fetched, seen: number) => ({
  value: null,
  state: 'unrecognised' as const,
  reason:
    seen > 0
      ? `The endpoint asked for a payment (HTTP 402); none of its offers (${seen}) has a whole number as its amount and plain identifiers, so Dossier read no price.`
      : 'The endpoint asked for a payment (HTTP 402) in a form that Dossier does not know.',
  as_seen: {
    sha256_of_body: sha256(text),
    ...(headers['payment-required'] && { sha256_of_payment_required: sha256(headers['payment-required']) }),
  },
});

/** The first offer in the unit that people use, and how many offers are not shown; undefined if there is nothing to say. */
function toReason(seen: number, offers: readonly Offer[]): string | undefined {
  const converted = offers[0]?.our_conversion;
  const skipped = `${seen} offers were sent; Dossier shows the first ${offers.length} that it could read.`;
  const parts = [
    converted && `By Dossier’s own table of assets this is ${converted}.`,
    seen > offers.length && skipped,
  ];
  return parts.filter(Boolean).join(' ') || undefined;
}

function toFinding(endpoint: EndpointLook) {
  const asked = quotedOffers(endpoint);
  if (!asked) return withoutPayment(endpoint) ?? noPrice;
  const { seen, offers } = asked.quoted;
  const [first] = offers;
  if (!first) return unrecognised(asked.response, seen);
  const reason = toReason(seen, offers);
  const more = offers.length > 1 ? `; ${offers.length - 1} more` : '';
  return {
    value: `${offerText(first)}${more}`,
    state: 'quoted' as const,
    ...(reason && { reason }),
    details: { offers },
  };
}

/** The price that an endpoint quotes before it shows anything: HTTP 402. */
export const priceChallenge = defineKind({
  kind: 'price.challenge',
  question: 'price',
  title: 'Price that the endpoint quotes',
  means:
    'What the endpoint asked Dossier to pay (HTTP 402) before it introduced itself or listed its tools, as quoted: a whole number of the asset’s smallest unit, the asset, the network and the recipient.',
  doesNotMean:
    'Dossier pays nothing; it does not say what a call of a tool costs, or that the recipient is the publisher.',
  changed: 'The endpoint quotes another price',
  method_version: 'price/1',
  about: remotesOf,
  check: (look) => ofRemotes(look, toFinding),
});
