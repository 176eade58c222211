import type { Fetched, NoAnswer } from '../../observation/answer.ts';
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

/** What an endpoint’s request for a payment quotes; undefined if it sent none. */
export function quotedOffers({
  payment: response,
}: EndpointLook): { readonly response: Fetched; readonly quoted: Decoded } | undefined {
  if (!response) return undefined;
  const decoded = formats.map((decode) => decode(response)).filter((one) => one !== undefined);
  return {
    response,
    quoted: {
      seen: decoded.reduce((sum, { seen }) => sum + seen, 0),
      offers: decoded.flatMap(({ offers }) => offers),
    },
  };
}

/** Why it is not known whether an endpoint that asked for no payment does: it asks for credentials first, or broke off. */
export const withoutPayment = ({ credentials, list }: EndpointLook): NoAnswer | undefined =>
  list.result !== 'tools' && (credentials || list.result === 'unreachable') ? list : undefined;

/** That there is nothing of a quoted price, for facts that exist only of one. */
export const noneQuoted = (endpoint: EndpointLook): NoAnswer =>
  withoutPayment(endpoint) ?? {
    result: 'not_found',
    reason: 'The endpoint quoted none when Dossier asked what it is and which tools it has.',
  };
