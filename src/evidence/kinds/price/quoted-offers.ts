import type { Fetched } from '../../observation/answer.ts';
import type { EndpointLook } from '../../observation/endpoint-look.ts';
import { decodeMpp } from './formats/mpp.ts';
import { decodeX402V1 } from './formats/x402-v1.ts';
import { decodeX402V2 } from './formats/x402-v2.ts';
import type { Decoded } from './offer.ts';

/** The formats that a 402 may quote its price in; one response may use several. */
const formats: readonly ((response: Fetched) => Decoded | undefined)[] = [
  decodeX402V2,
  decodeX402V1,
  decodeMpp,
];

/** The first 402 of an endpoint with what it quotes; undefined if it sent none. */
export function quotedOffers({
  responses,
}: EndpointLook): { readonly response: Fetched; readonly quoted: Required<Decoded> } | undefined {
  const response = responses.find(({ status }) => status === 402);
  if (!response) return undefined;
  const decoded = formats.map((decode) => decode(response)).filter((one) => one !== undefined);
  return {
    response,
    quoted: {
      seen: decoded.reduce((sum, { seen }) => sum + seen, 0),
      offers: decoded.flatMap(({ offers }) => offers),
      signed: decoded.flatMap(({ signed }) => signed ?? []),
    },
  };
}
