import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { toPublicKey } from '../core/keys/public-key.ts';
import type { TreeHead } from './merkle.ts';

const keyIdBytes = 4;
const signatureLine = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/;

/** Not verified. */
export type NoteSignature = ReturnType<typeof readSignatures>[number];

/** C2SP signed-note, "Signatures". */
const toKeyId = (name: string, signatureType: number, key: Buffer): Buffer =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.of(signatureType))
    .update(key)
    .digest()
    .subarray(0, keyIdBytes);

export const readSignatures = (lines: string) =>
  lines.split('\n').flatMap((line) => {
    const [, name, encoded = ''] = signatureLine.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (name === undefined || bytes.length <= keyIdBytes) return [];
    return [{ name, keyId: bytes.subarray(0, keyIdBytes), signature: bytes.subarray(keyIdBytes), line }];
  });

/** The text ends in a line feed. */
export function splitNote(note: string): { text: string; signatures: NoteSignature[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  return end < 0
    ? undefined
    : { text: note.slice(0, end + 1), signatures: readSignatures(note.slice(end + 2)) };
}

export interface NoteKey {
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface NoteVerifier {
  readonly name: string;
  readonly publicKey: KeyObject;
}

/** Ed25519 over the text of the note (C2SP signed-note, "Signature types"). */
const ed25519 = 1;
/** The bytes before the key itself in PKCS #8 (RFC 8410). */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const keyForm = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;

/** The seed has 32 bytes. */
export const toNoteKey = (name: string, seed: Buffer): NoteKey => ({
  name,
  privateKey: createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' }),
});

const rawPublicKey = (key: KeyObject): Buffer =>
  Buffer.from(key.export({ format: 'der', type: 'spki' })).subarray(-32);

const keyId = ({ name, publicKey }: NoteVerifier): Buffer => toKeyId(name, ed25519, rawPublicKey(publicKey));

export const verifierOf = ({ name, privateKey }: NoteKey): NoteVerifier => ({
  name,
  publicKey: createPublicKey(privateKey),
});

export const toKeyName = (verifier: NoteVerifier): string =>
  `${verifier.name}+${keyId(verifier).toString('hex')}`;

/** `<name>+<key id>+<key>` (C2SP signed-note). */
export const toVerifierText = (verifier: NoteVerifier): string =>
  `${toKeyName(verifier)}+${Buffer.of(ed25519, ...rawPublicKey(verifier.publicKey)).toString('base64')}`;

/** Undefined also if its key id does not match. */
export function readKeyText(text: string) {
  const [, name = '', id, encoded = ''] = keyForm.exec(text.trim()) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const type = bytes[0] ?? 0;
  const key = bytes.subarray(1);
  const keyId = toKeyId(name, type, key);
  return keyId.toString('hex') === id ? { name, type, key, keyId } : undefined;
}

export function readVerifier(text: string): NoteVerifier | undefined {
  const { name = '', type, key } = readKeyText(text) ?? {};
  const publicKey = key && type === ed25519 ? toPublicKey('ed25519', key) : undefined;
  return publicKey && { name, publicKey };
}

/** The text must end in a line feed (C2SP signed-note). */
export function signNote(text: string, key: NoteKey): string {
  const signature = Buffer.concat([keyId(verifierOf(key)), sign(null, Buffer.from(text), key.privateKey)]);
  return `${text}\n\u2014 ${key.name} ${signature.toString('base64')}\n`;
}

/** Undefined also if one of several signatures with the verifier's name and key id is wrong. */
export function openNote(note: string, verifier: NoteVerifier): string | undefined {
  const { text = '', signatures = [] } = splitNote(note) ?? {};
  const own = signatures.filter((line) => line.name === verifier.name && line.keyId.equals(keyId(verifier)));
  const isSigned =
    own.length > 0 &&
    own.every(({ signature }) => verify(null, Buffer.from(text), verifier.publicKey, signature));
  return isSigned ? text : undefined;
}

export interface Checkpoint extends TreeHead {
  readonly origin: string;
}

const body = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/;

/** C2SP tlog-checkpoint. The origin is the name of the key. */
export const toCheckpoint = ({ size, root }: TreeHead, key: NoteKey): string =>
  signNote(`${key.name}\n${size}\n${root.toString('base64')}\n`, key);

/** Does not check the signature. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [, origin, size, root] = body.exec(text) ?? [];
  if (!origin || !size || !root) return undefined;
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

/** The origin must be the verifier's name. */
export function openCheckpoint(text: string, verifier: NoteVerifier): Checkpoint | undefined {
  const note = openNote(text, verifier);
  const checkpoint = note === undefined ? undefined : readCheckpoint(note);
  return checkpoint?.origin === verifier.name ? checkpoint : undefined;
}

/** C2SP tlog-proof. */
export const toProofText = (index: number, path: readonly Buffer[], checkpoint: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `index ${index}`,
    ...path.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');

const hashForm = /^[A-Za-z0-9+/]{43}=$/;

export const readHashes = (lines: readonly string[]): Buffer[] | undefined =>
  lines.every((line) => hashForm.test(line)) ? lines.map((line) => Buffer.from(line, 'base64')) : undefined;

/** Does not check the proof. */
export function readProofText(text: string) {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, end).split('\n');
  const [place, ...hashes] = lines.filter((line) => !line.startsWith('extra '));
  const index = /^index (0|[1-9]\d{0,15})$/.exec(place ?? '')?.[1];
  const path = readHashes(hashes);
  const isProof = end > 0 && first === 'c2sp.org/tlog-proof@v1' && index !== undefined && path !== undefined;
  return isProof ? { index: Number(index), path, checkpoint: text.slice(end + 2) } : undefined;
}
