import { verify } from 'node:crypto';
import { readCheckpoint } from '../checkpoint.ts';
import type { NoteSignature } from '../note-signatures.ts';
import type { Cosigner } from './cosigner.ts';

const timestampBytes = 8;

/** A whole number as eight bytes, the highest first. */
export function toUint64(value: bigint | number): Buffer {
  const bytes = Buffer.alloc(timestampBytes);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A text of 1 to 255 bytes behind its length. */
const withLength = (text: string) => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);

/** The `cosigned_message` of a whole tree, which names the cosigner; undefined where a name is too long for it. */
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

/** What a cosigner signs of a checkpoint's text (C2SP tlog-cosignature, "signed message"); undefined where a name is too long. */
export const toMessage = (text: string, cosigner: Cosigner, timestamp: bigint): Buffer | undefined =>
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
