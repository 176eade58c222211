import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { JsonObject } from '../../../text/json-object.ts';
import { notChecked, type Shown } from './signed-offer.ts';

const hash = (...parts: readonly Uint8Array[]): Uint8Array => keccak_256(Buffer.concat(parts));
const ofText = (text: string) => hash(Buffer.from(text));
const uint256 = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** x402 extension offer-receipt version 1, section 4.3. */
const domain = hash(
  ofText('EIP712Domain(string name,string version,uint256 chainId)'),
  ofText('x402 offer'),
  ofText('1'),
  uint256(1n),
);
const offerType = ofText(
  'Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)',
);
const texts = ['resourceUrl', 'scheme', 'network', 'asset', 'payTo', 'amount'];

/** The hash that an offer's signature is over; undefined if a member of the payload has another type. */
function offerHash(payload: JsonObject): Uint8Array | undefined {
  const { version, validUntil } = payload;
  const values = texts.map((name) => payload[name]);
  if (!values.every((value) => typeof value === 'string')) return undefined;
  if (!Number.isSafeInteger(version) || Number(version) < 0) return undefined;
  if (!Number.isSafeInteger(validUntil) || Number(validUntil) < 0) return undefined;
  const struct = hash(
    offerType,
    uint256(BigInt(version as number)),
    ...values.map(ofText),
    uint256(BigInt(validUntil as number)),
  );
  return hash(Buffer.of(0x19, 0x01), domain, struct);
}

const form = /^0x([\da-f]{128})(00|01|1b|1c)$/i;

/** The address whose key made a signature of 65 bytes; undefined if there is none. */
function recover(signature: string, digest: Uint8Array): string | undefined {
  const [, compact, v] = form.exec(signature) ?? [];
  if (compact === undefined || v === undefined) return undefined;
  try {
    const recovery = Number.parseInt(v, 16) % 27;
    const bytes = Buffer.from(`0${recovery}${compact}`, 'hex');
    const key = secp256k1.recoverPublicKey(bytes, digest, { prehash: false });
    const point = secp256k1.Point.fromBytes(key).toBytes(false);
    return `0x${Buffer.from(keccak_256(point.subarray(1)).subarray(12)).toString('hex')}`;
  } catch {
    return undefined;
  }
}

/**
 * Checks an EIP-712 signature of an offer. Such a signature names no signer: it is valid for the address that it recovers
 * to, and only if that is the recipient does it say who signed.
 */
export function checkEip712(payload: JsonObject, signature: string): Shown {
  const digest = offerHash(payload);
  if (!digest) return notChecked;
  const signer = recover(signature, digest);
  if (signer === undefined) return { signature: 'invalid', authorisation: 'none' };
  const isRecipient = String(payload.payTo).toLowerCase() === signer;
  return { signature: 'valid', signer, authorisation: isRecipient ? 'recipient' : 'none' };
}
