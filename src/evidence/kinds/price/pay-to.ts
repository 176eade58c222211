import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { defineKind } from '../../observation/kind.ts';
import { ofRemotes, remotesOf } from '../remotes.ts';
import { noneQuoted, quotedOffers } from './quoted-offers.ts';

function toFinding(endpoint: EndpointLook) {
  const offers = quotedOffers(endpoint)?.quoted.offers ?? [];
  const addresses = [...new Set(offers.flatMap(({ pay_to }) => pay_to ?? []))].sort();
  return addresses.length > 0
    ? { value: addresses.join(', '), state: 'observed' as const }
    : noneQuoted(endpoint);
}

/** Who is paid: a fact of its own, so that it has a date and a history apart from the amount. */
export const pricePayTo = defineKind({
  kind: 'price.pay_to',
  question: 'price',
  title: 'Address that is paid',
  means: 'The addresses of the recipients in the price that the endpoint quotes.',
  doesNotMean: 'It does not say whose addresses they are.',
  changed: 'The endpoint asks to be paid at another address',
  method_version: 'price/1',
  about: remotesOf,
  isOptional: true,
  check: (look) => ofRemotes(look, toFinding, { isRare: true }),
});
