import type { Fetched } from '../../../observation/answer.ts';
import { asObject, readBase64Object, readObject } from '../../../text/json-object.ts';
import { type Decoded, decodeOffers, toOffer } from '../offer.ts';

/** One offer of version 2. */
export const readAcceptedV2 = (one: unknown) => {
  const { scheme, network, amount, asset, payTo } = asObject(one) ?? {};
  return payTo === undefined
    ? undefined
    : toOffer({ format: 'x402/2', scheme, network, amount, asset, pay_to: payTo, chain_id: undefined });
};

/** Payment requirements of x402 version 2: the header PAYMENT-REQUIRED (base64 JSON), or the same object as the body. */
export function decodeX402V2({ headers, text }: Fetched): Decoded | undefined {
  const header = headers['payment-required'];
  const required = header === undefined ? readObject(text) : readBase64Object(header);
  if (required?.x402Version !== 2 || !Array.isArray(required.accepts)) return undefined;
  return decodeOffers(required.accepts, readAcceptedV2);
}
