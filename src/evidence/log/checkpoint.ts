import type { TreeHead } from './merkle.ts';
import { type NoteKey, type NoteVerifier, openNote, signNote } from './signed-note.ts';

/** A tree head with the name of its log. */
export interface Checkpoint extends TreeHead {
  readonly origin: string;
}

const body = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/;

/** The signed text of a tree head (C2SP tlog-checkpoint); the key's name is the origin. */
export const toCheckpoint = ({ size, root }: TreeHead, key: NoteKey): string =>
  signNote(`${key.name}\n${size}\n${root.toString('base64')}\n`, key);

/** Parses a checkpoint without checking its signature; undefined if it is malformed. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [, origin, size, root] = body.exec(text) ?? [];
  if (!origin || !size || !root) return undefined;
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

/** Parses a checkpoint that this verifier signed under its own name; undefined for any other. */
export function openCheckpoint(text: string, verifier: NoteVerifier): Checkpoint | undefined {
  const note = openNote(text, verifier);
  const checkpoint = note === undefined ? undefined : readCheckpoint(note);
  return checkpoint?.origin === verifier.name ? checkpoint : undefined;
}

/** A text that proves offline that a checkpoint's tree has a leaf at `index` (C2SP tlog-proof). */
export const toProofText = (index: number, path: readonly Buffer[], checkpoint: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `index ${index}`,
    ...path.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');

/** Parses a proof without checking it; undefined if it is malformed. */
export function readProofText(
  text: string,
): { index: number; path: Buffer[]; checkpoint: string } | undefined {
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, end).split('\n');
  const [place, ...hashes] = lines.filter((line) => !line.startsWith('extra '));
  const index = /^index (0|[1-9]\d{0,15})$/.exec(place ?? '')?.[1];
  const path = hashes.map((line) => Buffer.from(line, 'base64'));
  const isProof =
    end > 0 &&
    first === 'c2sp.org/tlog-proof@v1' &&
    index !== undefined &&
    path.every(({ length }) => length === 32);
  return isProof ? { index: Number(index), path, checkpoint: text.slice(end + 2) } : undefined;
}
