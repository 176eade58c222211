import { asObject, type JsonObject } from '../../../text/json-object.ts';
import type { Offer } from '../offer.ts';

/** What the check of one signature showed. */
export interface Shown {
  /** `valid`: some key signed exactly this offer; that alone does not say whose key it is. */
  readonly signature: 'valid' | 'invalid' | 'not_checked';
  /** The key's name, or the address that the signature recovers to. */
  readonly signer?: string;
  /** What ties the signer to the service: the address that is paid, or the endpoint's own host; `none`: nothing was shown. */
  readonly authorisation: 'recipient' | 'host' | 'none';
}

/** A signed offer as it was checked. */
export interface CheckedOffer extends Shown {
  readonly format: string;
  /** Whether the signed terms are among the quoted offers. */
  readonly is_quoted: boolean;
}

/** Nothing could be checked. */
export const notChecked: Shown = { signature: 'not_checked', authorisation: 'none' };

const isText = (value: unknown): value is string => typeof value === 'string';

/** Whether the terms of a signed payload are those of an offer. */
export function isQuoted(payload: unknown, offers: readonly Offer[]): boolean {
  const { scheme, network, asset, payTo, amount } = asObject(payload) ?? {};
  const same = (a: unknown, b: string | undefined) =>
    isText(a) && b !== undefined && a.toLowerCase() === b.toLowerCase();
  return offers.some(
    (offer) =>
      same(scheme, offer.scheme) &&
      same(network, offer.network) &&
      same(asset, offer.asset) &&
      same(payTo, offer.pay_to) &&
      amount === offer.amount,
  );
}

/** Most signed offers that are checked: each may ask another host for a key. */
const mostChecked = 5;

/** The signed offers that are checked: the first five objects with a signature of bounded length. */
export const readableOffers = (signed: readonly unknown[]): JsonObject[] =>
  signed
    .slice(0, mostChecked)
    .map(asObject)
    .filter((one) => one !== undefined)
    .filter(({ signature }) => isText(signature) && signature.length <= 4096);
