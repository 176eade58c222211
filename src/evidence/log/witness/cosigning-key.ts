import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { toMessage, toUint64 } from './cosignature.ts';
import { type CosignatureType, type Cosigner, toCosigner } from './cosigner.ts';

/** A cosigner with its private key. */
export interface CosigningKey extends Cosigner {
  readonly privateKey: KeyObject;
}

/** The bytes before a seed in PKCS #8 (RFC 8410, RFC 9881), and those before the key in SubjectPublicKeyInfo. */
const forms = {
  4: { prefix: '302e020100300506032b657004220420', publicPrefix_bytes: 12 },
  6: { prefix: '3034020100300b060960864801650304031104228020', publicPrefix_bytes: 22 },
} as const;

/** A cosigning key of a 32-byte seed. */
export function toCosigningKey(name: string, type: CosignatureType, seed: Buffer): CosigningKey {
  const { prefix, publicPrefix_bytes } = forms[type];
  const key = Buffer.concat([Buffer.from(prefix, 'hex'), seed]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const spki = Buffer.from(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }));
  return { ...toCosigner(name, type, spki.subarray(publicPrefix_bytes)), privateKey };
}

/** The signature line, with its line feed, with which a witness cosigns a checkpoint's text. Throws for a name over 255 bytes. */
export function cosign(text: string, key: CosigningKey, now: Date): string {
  const timestamp = BigInt(Math.floor(now.getTime() / 1000));
  const message = toMessage(text, key, timestamp);
  if (!message) throw new Error('the checkpoint cannot be cosigned: a name in it is over 255 bytes');
  const signature = sign(null, message, key.privateKey);
  return `\u2014 ${key.name} ${Buffer.concat([key.keyId, toUint64(timestamp), signature]).toString('base64')}\n`;
}
