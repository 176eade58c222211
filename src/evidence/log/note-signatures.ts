import { createHash } from 'node:crypto';

const keyIdBytes = 4;
const signatureLine = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/;

/** One signature line of a note. Name and key id say which key it claims to be of; nothing is checked yet. */
export interface NoteSignature {
  readonly name: string;
  readonly keyId: Buffer;
  readonly signature: Buffer;
  /** The line as it stands in the note, without its line feed. */
  readonly line: string;
}

/** The id of a key: four bytes that its signature lines begin with (C2SP signed-note, "Signatures"). */
export const toKeyId = (name: string, signatureType: number, key: Buffer): Buffer =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.of(signatureType))
    .update(key)
    .digest()
    .subarray(0, keyIdBytes);

/** Parses signature lines; any other line is left out. */
export const readSignatures = (lines: string): NoteSignature[] =>
  lines.split('\n').flatMap((line) => {
    const [, name, encoded = ''] = signatureLine.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    if (name === undefined || bytes.length <= keyIdBytes) return [];
    return [{ name, keyId: bytes.subarray(0, keyIdBytes), signature: bytes.subarray(keyIdBytes), line }];
  });

/** Splits a note into its text, with the final line feed, and its signature lines; undefined if it has no empty line. */
export function splitNote(note: string): { text: string; signatures: NoteSignature[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  return end < 0
    ? undefined
    : { text: note.slice(0, end + 1), signatures: readSignatures(note.slice(end + 2)) };
}
