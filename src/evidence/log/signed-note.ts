import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { splitNote, toKeyId } from './note-signatures.ts';

/** A key that signs notes; every signature line names it. */
export interface NoteKey {
  readonly name: string;
  readonly privateKey: KeyObject;
}

/** The public half of a signing key. */
export interface NoteVerifier {
  readonly name: string;
  readonly publicKey: KeyObject;
}

/** Signature type of Ed25519 over the text of the note (C2SP signed-note, "Signature types"). */
const ed25519 = 1;
/** The bytes before the key itself in PKCS #8 and in SubjectPublicKeyInfo (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const verifierForm = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;

/** A signing key from its 32-byte seed. */
export const toNoteKey = (name: string, seed: Buffer): NoteKey => ({
  name,
  privateKey: createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' }),
});

const rawPublicKey = (key: KeyObject): Buffer =>
  Buffer.from(key.export({ format: 'der', type: 'spki' })).subarray(publicPrefix.length);

const keyId = ({ name, publicKey }: NoteVerifier): Buffer => toKeyId(name, ed25519, rawPublicKey(publicKey));

/** The public half of a signing key. */
export const verifierOf = ({ name, privateKey }: NoteKey): NoteVerifier => ({
  name,
  publicKey: createPublicKey(privateKey),
});

/** `<name>+<key id>+<key>`, the published form of a verifier (C2SP signed-note). */
export const toVerifierText = (verifier: NoteVerifier): string =>
  `${verifier.name}+${keyId(verifier).toString('hex')}+${Buffer.of(ed25519, ...rawPublicKey(verifier.publicKey)).toString('base64')}`;

/** Parses the published form; undefined if it is malformed or its key id does not match. */
export function readVerifier(text: string): NoteVerifier | undefined {
  const [, name = '', id, encoded = ''] = verifierForm.exec(text.trim()) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== 33 || key[0] !== ed25519) return undefined;
  const publicKey = createPublicKey({
    key: Buffer.concat([publicPrefix, key.subarray(1)]),
    format: 'der',
    type: 'spki',
  });
  const verifier = { name, publicKey };
  return keyId(verifier).toString('hex') === id ? verifier : undefined;
}

/** Adds a signature line to a text that ends in a line feed (C2SP signed-note). */
export function signNote(text: string, key: NoteKey): string {
  const signature = Buffer.concat([keyId(verifierOf(key)), sign(null, Buffer.from(text), key.privateKey)]);
  return `${text}\n\u2014 ${key.name} ${signature.toString('base64')}\n`;
}

/** The text of a note that this verifier signed, and in whose name and key id no wrong signature stands; undefined otherwise. */
export function openNote(note: string, verifier: NoteVerifier): string | undefined {
  const { text = '', signatures = [] } = splitNote(note) ?? {};
  const own = signatures.filter((line) => line.name === verifier.name && line.keyId.equals(keyId(verifier)));
  const isSigned =
    own.length > 0 &&
    own.every(({ signature }) => verify(null, Buffer.from(text), verifier.publicKey, signature));
  return isSigned ? text : undefined;
}
