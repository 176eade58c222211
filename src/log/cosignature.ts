import { verify } from 'node:crypto';
import { toPublicKey } from '../core/keys/public-key.ts';
import { type NoteSignature, readCheckpoint, readKeyText } from './notes.ts';

/** C2SP signed-note. */
const algorithms = { 4: 'ed25519', 6: 'ml-dsa-44' } as const;

export type Cosigner = NonNullable<ReturnType<typeof readCosigner>>;

const isCosignatureType = (type: number): type is keyof typeof algorithms => type in algorithms;

export function readCosigner(text: string) {
  const read = readKeyText(text);
  if (!read || !isCosignatureType(read.type)) return undefined;
  const { name, type, key, keyId } = read;
  const publicKey = toPublicKey(algorithms[type], key);
  return publicKey && { name, type, keyId, publicKey };
}

const timestampBytes = 8;

function toUint64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(timestampBytes);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

const withLength = (text: string) => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);

/** C2SP tlog-cosignature, `cosigned_message` of a whole tree. */
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

/** C2SP tlog-cosignature, "signed message". */
const toMessage = (text: string, cosigner: Cosigner, timestamp: bigint): Buffer | undefined =>
  cosigner.type === 4
    ? Buffer.from(`cosignature/v1\ntime ${timestamp}\n${text}`)
    : toSubtreeMessage(text, cosigner, timestamp);

export const isOf = ({ name, keyId }: NoteSignature, cosigner: Cosigner): boolean =>
  name === cosigner.name && keyId.equals(cosigner.keyId);

/** Seconds since 1970; 0 if it states no time, undefined if it is not valid. */
export function readCosignature(text: string, cosigner: Cosigner, { signature }: NoteSignature) {
  if (signature.length <= timestampBytes) return undefined;
  const timestamp = signature.readBigUInt64BE(0);
  const message = toMessage(text, cosigner, timestamp);
  const isValid =
    timestamp < 2n ** 63n &&
    message !== undefined &&
    verify(null, message, cosigner.publicKey, signature.subarray(timestampBytes));
  return isValid ? timestamp : undefined;
}
