import { ExitError, exitCodes } from '../../config/exit.ts';
import { type NoteVerifier, readVerifier } from '../../evidence/log/signed-note.ts';
import { type KnownRoot, readKnownRoot } from '../../transparency-log/audit/check-tree.ts';
import { readKey, readSaved } from '../verify/saved-files.ts';

/** Options of `dossier audit`. */
export interface AuditOptions {
  readonly json?: boolean;
  readonly key?: string;
  /** Files of saved checkpoints. */
  readonly checkpoint?: readonly string[];
  /** `<size>:<root in base64>`, as the second and third line of a checkpoint. */
  readonly root?: readonly string[];
}

/** The key that the option names, itself or a file; throws ExitError. */
export async function readAuditKey(key: string | undefined): Promise<NoteVerifier | undefined> {
  if (key === undefined) return undefined;
  const verifier = readVerifier((await readKey(key)) ?? '');
  if (!verifier) throw new ExitError(exitCodes.usage, '--key: not a key as /log/key shows it');
  return verifier;
}

function readRoot(text: string): KnownRoot {
  const [, size, root] = /^(\d{1,15}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? [];
  if (!size || !root)
    throw new ExitError(exitCodes.usage, '--root: <size>:<root>, the second and third line of a checkpoint');
  return {
    where: `root given for ${size} entries`,
    log: 1,
    size: Number(size),
    root: Buffer.from(root, 'base64'),
  };
}

/** The roots and checkpoints that the user has from elsewhere, each as a root or as the fault that it is. Throws ExitError. */
export async function readKept({ checkpoint = [], root = [] }: AuditOptions, key: NoteVerifier | undefined) {
  const checkpoints = checkpoint.map(async (path) =>
    readKnownRoot(await readSaved(path), { where: `saved checkpoint ${path}`, key }),
  );
  return [...(await Promise.all(checkpoints)), ...root.map(readRoot)];
}
