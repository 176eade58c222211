import type { Fetched } from '../../../observation/answer.ts';
import { asObject, readObject } from '../../../text/json-object.ts';
import { type Decoded, decodeOffers, toOffer } from '../offer.ts';

/** One offer of version 1. */
export const readAcceptedV1 = (one: unknown) => {
  const { scheme, network, maxAmountRequired, asset, payTo } = asObject(one) ?? {};
  if (payTo === undefined) return undefined;
  const named = { scheme, network, asset, pay_to: payTo, chain_id: undefined };
  return toOffer({ format: 'x402/1', amount: maxAmountRequired, ...named });
};

/** Payment requirements of x402 version 1: a JSON body with `accepts[].maxAmountRequired`. */
export function decodeX402V1({ text }: Fetched): Decoded | undefined {
  const required = readObject(text);
  if (required?.x402Version !== 1 || !Array.isArray(required.accepts)) return undefined;
  return decodeOffers(required.accepts, readAcceptedV1);
}
