import { createPublicKey, type KeyObject } from 'node:crypto';
import { attempt } from '../json.ts';

/** Before a raw key of this length in SubjectPublicKeyInfo (RFC 8410, RFC 9881, RFC 5480). */
const forms = {
  ed25519: { prefix: '302a300506032b6570032100', length: 32 },
  'ml-dsa-44': { prefix: '30820532300b06096086480165030403110382052100', length: 1312 },
  /** Compressed points. */
  p384: { prefix: '3046301006072a8648ce3d020106052b81040022033200', length: 49 },
} as const;

export function toPublicKey(form: keyof typeof forms, key: Buffer): KeyObject | undefined {
  const { prefix, length } = forms[form];
  if (key.length !== length) return undefined;
  const spki = Buffer.concat([Buffer.from(prefix, 'hex'), key]);
  // It throws if a P-384 key is no point of the curve.
  return attempt(() => createPublicKey({ key: spki, format: 'der', type: 'spki' }));
}
