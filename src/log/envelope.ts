import { sign, verify } from 'node:crypto';
import { z } from 'zod';
import { readObject } from '../core/json.ts';
import { type NoteKey, type NoteVerifier, toKeyName, verifierOf } from './notes.ts';

const envelope = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string().optional(), sig: z.base64() })).max(100),
});
/** DSSE 1.0.2, envelope.md. `keyid` is a hint that is not signed. */
export type Envelope = z.infer<typeof envelope>;

/** DSSE 1.0.2, protocol.md, PAE. */
const toSigned = (payloadType: string, payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    payload,
  ]);

const payloadType = 'application/vnd.in-toto+json';

export function toEnvelope(text: string, key: NoteKey): Envelope {
  const payload = Buffer.from(text);
  const sig = sign(null, toSigned(payloadType, payload), key.privateKey).toString('base64');
  const keyid = toKeyName(verifierOf(key));
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid, sig }] };
}

/** Does not check the signatures. */
export const readEnvelope = (text: string): Envelope | undefined => envelope.safeParse(readObject(text)).data;

/** Undefined if this verifier did not sign it as an in-toto statement. */
export function openEnvelope(read: Envelope, { publicKey }: NoteVerifier): string | undefined {
  const payload = Buffer.from(read.payload, 'base64');
  const signed = toSigned(payloadType, payload);
  const isSigned =
    read.payloadType === payloadType &&
    read.signatures.some(({ sig }) => verify(null, signed, publicKey, Buffer.from(sig, 'base64')));
  return isSigned ? payload.toString('utf8') : undefined;
}
