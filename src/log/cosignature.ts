import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type NoteSignature, readCheckpoint, toKeyId } from './notes.ts';

/** The signature types of cosignatures (C2SP signed-note): 4 is Ed25519, 6 is ML-DSA-44. */
type CosignatureType = 4 | 6;

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

const timestampBytes = 8;

/** A whole number as eight bytes, the highest first. */
function toUint64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(timestampBytes);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A text of 1 to 255 bytes behind its length. */
const withLength = (text: string) => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);

/** The `cosigned_message` of a whole tree, which names the cosigner; undefined if a name is too long for it. */
function toSubtreeMessage(text: string, { name }: Cosigner, timestamp: bigint): Buffer | undefined {
  const checkpoint = readCheckpoint(text);
  if (!checkpoint || Buffer.byteLength(checkpoint.origin) > 255 || Buffer.byteLength(name) > 255)
    return undefined;
  return Buffer.concat([
    Buffer.from('subtree/v1\n\0'),
    withLength(name),
    toUint64(timestamp),
    withLength(checkpoint.origin),
    toUint64(0),
    toUint64(checkpoint.size),
    checkpoint.root,
  ]);
}

/** What a cosigner signs of a checkpoint's text (C2SP tlog-cosignature, "signed message"); undefined if a name is too long. */
const toMessage = (text: string, cosigner: Cosigner, timestamp: bigint): Buffer | undefined =>
  cosigner.type === 4
    ? Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`)
    : toSubtreeMessage(text, cosigner, timestamp);

/** Whether a signature line names this cosigner's key. */
export const isOf = ({ name, keyId }: NoteSignature, cosigner: Cosigner): boolean =>
  name === cosigner.name && keyId.equals(cosigner.keyId);

/** The time that a valid cosignature states, in seconds since 1970, 0 for none; undefined for one that is not valid. */
export function readCosignature(
  text: string,
  cosigner: Cosigner,
  { signature }: NoteSignature,
): bigint | undefined {
  if (signature.length <= timestampBytes) return undefined;
  const timestamp = signature.readBigUInt64BE(0);
  const message = toMessage(text, cosigner, timestamp);
  const isValid =
    timestamp < 2n ** 63n &&
    message !== undefined &&
    verify(null, message, cosigner.publicKey, signature.subarray(timestampBytes));
  return isValid ? timestamp : undefined;
}
