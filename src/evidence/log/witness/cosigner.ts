import { createPublicKey, type KeyObject } from 'node:crypto';
import { toKeyId } from '../note-signatures.ts';

/** The signature types of cosignatures (C2SP signed-note): 4 is Ed25519, 6 is ML-DSA-44. */
export type CosignatureType = 4 | 6;

/** A key that cosigns checkpoints, as its verifiers know it. */
export interface Cosigner {
  readonly name: string;
  readonly type: CosignatureType;
  readonly keyId: Buffer;
  readonly publicKey: KeyObject;
}

/** Length of a key, and the bytes before it in SubjectPublicKeyInfo (RFC 8410, RFC 9881). */
const forms = {
  4: {
    key_bytes: 32,
    publicPrefix: Buffer.from('302a300506032b6570032100', 'hex'),
  },
  6: {
    key_bytes: 1312,
    publicPrefix: Buffer.from('30820532300b06096086480165030403110382052100', 'hex'),
  },
} as const;

const published = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const isCosignatureType = (type: number | undefined): type is CosignatureType => type === 4 || type === 6;

function toCosigner(name: string, type: CosignatureType, rawKey: Buffer): Cosigner {
  const publicKey = createPublicKey({
    key: Buffer.concat([forms[type].publicPrefix, rawKey]),
    format: 'der',
    type: 'spki',
  });
  return { name, type, publicKey, keyId: toKeyId(name, type, rawKey) };
}

/** Parses `<name>+<key id>+<key>` of a cosigner; undefined if it is malformed, of another type, or its key id is wrong. */
export function readCosigner(text: string): Cosigner | undefined {
  const [, name = '', id, encoded = ''] = published.exec(text) ?? [];
  const [type, rawKey] = [Buffer.from(encoded, 'base64')[0], Buffer.from(encoded, 'base64').subarray(1)];
  if (!isCosignatureType(type) || rawKey.length !== forms[type].key_bytes) return undefined;
  const cosigner = toCosigner(name, type, rawKey);
  return cosigner.keyId.toString('hex') === id ? cosigner : undefined;
}
