import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { readVerifier } from '../../evidence/log/signed-note.ts';
import { type SavedProof, savedProof } from '../../evidence/log/verify.ts';

/** The text of a saved file. Throws ExitError (74). */
export async function readSaved(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new ExitError(exitCodes.io, `${path}: cannot be read`);
  }
}

/** The key itself, or the content of the file that the option names. Throws ExitError (74). */
export async function readKey(key: string | undefined): Promise<string | undefined> {
  return key === undefined || readVerifier(key) ? key : (await readSaved(key)).trim();
}

const savedProblem = z.object({ code: z.string(), detail: z.string() });

/** What a saved problem says, in a few words; nothing for any other text. */
function toProblemText(text: string): string {
  try {
    const { code, detail } = savedProblem.parse(JSON.parse(text));
    return `; it is a problem: ${code}, ${detail.slice(0, 300)}`;
  } catch {
    return '';
  }
}

/** A saved answer of get_proof. Throws ExitError (74), with what a saved problem says. */
export async function readProof(path: string): Promise<SavedProof> {
  const text = await readSaved(path);
  try {
    return savedProof.parse(JSON.parse(text));
  } catch {
    throw new ExitError(exitCodes.io, `${path}: not a saved result of get_proof${toProblemText(text)}`);
  }
}
