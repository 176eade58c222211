import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ExitError, exitCodes } from '../config/exit.ts';
import {
  type Check,
  checkExpected,
  type ExpectedRecord,
  type SavedProof,
  savedProof,
  verifyConsistency,
  verifySavedProof,
} from '../evidence/log/verify.ts';

/** Options of `dossier verify`. */
export interface VerifyOptions extends ExpectedRecord {
  readonly key?: string;
  readonly older?: string;
  readonly newer?: string;
  readonly consistency?: string;
  /** File with the proof of the entry that says that the record was erased. */
  readonly erasure?: string;
}

async function readSaved(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new ExitError(exitCodes.io, `${path}: cannot be read`);
  }
}

/** The key itself, or the content of the file that the option names. */
async function readKey(key: string | undefined): Promise<string | undefined> {
  return key === undefined || key.includes('+') ? key : (await readSaved(key)).trim();
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

async function readProof(path: string): Promise<SavedProof> {
  const text = await readSaved(path);
  try {
    return savedProof.parse(JSON.parse(text));
  } catch {
    throw new ExitError(exitCodes.io, `${path}: not a saved result of get_proof${toProblemText(text)}`);
  }
}

async function checkProof(path: string, key: string | undefined, options: VerifyOptions): Promise<Check[]> {
  const saved = await readProof(path);
  const erasure = options.erasure === undefined ? undefined : await readProof(options.erasure);
  try {
    return [...verifySavedProof(saved, key, erasure), ...checkExpected(saved, options)];
  } catch {
    throw new ExitError(exitCodes.io, `${path}: not a saved result of get_proof`);
  }
}

async function checkConsistency(
  { older, newer, consistency }: VerifyOptions,
  key: string | undefined,
): Promise<Check[]> {
  if (!older || !newer || !consistency || !key)
    throw new ExitError(
      exitCodes.usage,
      'verify: give a saved proof, or all of --older, --newer, --consistency and --key',
    );
  const proof = await readSaved(consistency);
  return verifyConsistency(await readSaved(older), await readSaved(newer), { proof, key });
}

const toLabel = (holds: boolean | undefined) => (holds === undefined ? 'open ' : holds ? 'holds' : 'FAILS');

/**
 * Checks saved files offline: a result of get_proof, or two checkpoints with their consistency proof. Prints one line a
 * check; ends with 1 if one fails, with 2 if a proof comes without its record.
 */
export async function runVerify(path: string | undefined, options: VerifyOptions): Promise<void> {
  const key = await readKey(options.key);
  const checks = path ? await checkProof(path, key, options) : await checkConsistency(options, key);
  for (const { holds, message } of checks) process.stdout.write(`${toLabel(holds)}  ${message}\n`);
  if (path && !key)
    process.stdout.write(
      'note   the key was taken from the proof; compare it with one obtained at another time or place (--key)\n',
    );
  if (checks.some(({ holds }) => holds === false))
    throw new ExitError(1, 'verify: at least one check failed');
  if (checks.some(({ holds }) => holds === undefined))
    throw new ExitError(2, 'verify: there is no record to check the entry against');
}
