import { recoverAddress, type TypedStruct, typedHash } from '../../../signature/ethereum.ts';
import type { JsonObject } from '../../../text/json-object.ts';
import { notChecked, type Shown } from './signed-offer.ts';

/** x402 extension offer-receipt version 1, section 4.3. */
const offer: TypedStruct = {
  domain: 'x402 offer',
  name: 'Offer',
  members: {
    version: 'uint256',
    resourceUrl: 'string',
    scheme: 'string',
    network: 'string',
    asset: 'string',
    payTo: 'string',
    amount: 'string',
    validUntil: 'uint256',
  },
};

/**
 * Checks an EIP-712 signature of an offer. Such a signature names no signer: it is valid for the address that it recovers
 * to, and only if that is the recipient does it say who signed.
 */
export function checkEip712(payload: JsonObject, signature: string): Shown {
  const digest = typedHash(offer, payload);
  if (!digest) return notChecked;
  const signer = recoverAddress(signature, digest);
  if (signer === undefined) return { signature: 'invalid', authorisation: 'none' };
  const isRecipient = String(payload.payTo).toLowerCase() === signer;
  return { signature: 'valid', signer, authorisation: isRecipient ? 'recipient' : 'none' };
}
