import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { readObject } from '../core/json.ts';
import { ExitError, ioError, usageError } from '../core/process.ts';
import { nameHidden } from '../core/text.ts';
import { type Envelope, readEnvelope } from '../log/envelope.ts';
import { readCheckpoint, readProofText, readVerifier } from '../log/notes.ts';
import {
  type Check,
  checkExpected,
  checkSigned,
  type ExpectedRecord,
  type SavedProof,
  savedProof,
  verifyConsistency,
  verifySavedProof,
  verifyStatement,
} from '../log/verify.ts';
import { checkWitnesses, type Policy, PolicyFault, readPolicy } from '../log/witnesses.ts';

export async function readSaved(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw ioError(`${path}: cannot be read`);
  }
}

/** A key or its file. */
export async function readKey(key: string | undefined): Promise<string | undefined> {
  return key === undefined || readVerifier(key) ? key : (await readSaved(key)).trim();
}

const savedProblem = z.object({ code: z.string(), detail: z.string() });

function toProblemText(text: string): string {
  const { data } = savedProblem.safeParse(readObject(text));
  return data ? `; it is a problem: ${data.code}, ${data.detail.slice(0, 300)}` : '';
}

/** Throws with the text of a saved problem. */
export async function readProof(path: string): Promise<SavedProof> {
  const text = await readSaved(path);
  const { data } = savedProof.safeParse(readObject(text));
  if (data) return data;
  throw ioError(`${path}: not a saved result of get_proof${toProblemText(text)}`);
}

export async function readPolicyFile(path: string): Promise<Policy> {
  const text = await readSaved(path);
  try {
    return readPolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    throw ioError(`${path}: not a policy of logs and witnesses: ${error.message}`);
  }
}

export const keyOfPolicy = (policy: Policy | undefined, checkpoint: string): string | undefined => {
  const origin = readCheckpoint(checkpoint)?.origin;
  return policy?.logs.find(({ verifier }) => verifier.name === origin)?.key;
};

function checkLog({ logs }: Policy, key: string | undefined): Check[] {
  if (logs.length === 0) return [];
  const used = readVerifier(key ?? '');
  const holds = logs.some(
    ({ verifier }) => verifier.name === used?.name && verifier.publicKey.equals(used.publicKey),
  );
  return [
    {
      holds,
      message: `the policy ${holds ? 'names the log of this key' : 'does not name the log of this key'}`,
    },
  ];
}

export interface VerifyOptions extends ExpectedRecord {
  readonly key?: string;
  readonly older?: string;
  readonly newer?: string;
  readonly consistency?: string;
  readonly erasure?: string;
  /** C2SP tlog-policy. */
  readonly policy?: string;
  readonly document?: string;
  readonly checkpoint?: string;
}

interface Given {
  readonly key: string | undefined;
  readonly policy: Policy | undefined;
}

function withPolicy(
  checks: readonly Check[],
  policy: Policy | undefined,
  checkpoints: readonly { text: string; key: string | undefined }[],
) {
  const found = checkpoints.flatMap(({ text, key }) => {
    if (!policy) return [];
    const witnesses = checkWitnesses(text, policy);
    return { ...witnesses, checks: [...checkLog(policy, key), ...witnesses.checks] };
  });
  return {
    checks: [...checks, ...found.flatMap((of) => of.checks)],
    quorums: found.map(({ quorum }) => quorum),
    notes: found.flatMap(({ notes }) => notes),
  };
}

type VerifyOutcome = ReturnType<typeof withPolicy>;

const checkpointOf = ({ proof }: SavedProof) => readProofText(proof)?.checkpoint ?? '';

async function checkProof(
  path: string,
  { key, policy }: Given,
  options: VerifyOptions,
): Promise<VerifyOutcome> {
  const saved = await readProof(path);
  const erasure = options.erasure === undefined ? undefined : await readProof(options.erasure);
  const known = key ?? keyOfPolicy(policy, checkpointOf(saved));
  const noKey =
    'the key was taken from the proof; compare it with one obtained at another time or place (--key)';
  try {
    const checks = [...verifySavedProof(saved, known, erasure), ...checkExpected(saved, options)];
    const proofs = erasure ? [saved, erasure] : [saved];
    const outcome = withPolicy(
      checks,
      policy,
      proofs.map((of) => ({ text: checkpointOf(of), key: known ?? of.key })),
    );
    return { ...outcome, notes: [...outcome.notes, ...(known ? [] : [noKey])] };
  } catch {
    throw ioError(`${path}: not a saved result of get_proof`);
  }
}

async function checkStatement(
  envelope: Envelope,
  key: string | undefined,
  { handle, document: path }: VerifyOptions,
): Promise<VerifyOutcome> {
  if (!key) throw usageError('verify: a signed statement needs --key');
  const document = path === undefined ? undefined : readObject(await readSaved(path));
  if (path !== undefined && !document) throw ioError(`${path}: not a JSON object`);
  const { checks, as_of } = verifyStatement(envelope, key, { handle, document });
  const notes = as_of === undefined ? [] : [`its facts are as of ${as_of}`];
  return { checks, quorums: [], notes };
}

async function checkCheckpoint(path: string, { key, policy }: Given): Promise<VerifyOutcome> {
  const text = await readSaved(path);
  const known = key ?? keyOfPolicy(policy, text);
  if (!known) throw usageError('verify: a checkpoint needs --key, or a policy that names its log');
  return withPolicy([checkSigned(text, known).check], policy, [{ text, key: known }]);
}

async function checkConsistency({ older, newer, consistency }: VerifyOptions, { key, policy }: Given) {
  const text = newer && (await readSaved(newer));
  const known = key ?? keyOfPolicy(policy, text || '');
  if (!older || !text || !consistency || !known)
    throw usageError(
      'verify: give a saved proof, --checkpoint, or all of --older, --newer and --consistency; without a saved proof also --key, or a --policy that names the log',
    );
  const proof = await readSaved(consistency);
  const checks = verifyConsistency(await readSaved(older), text, { proof, key: known });
  return withPolicy(checks, policy, [{ text, key: known }]);
}

/** Besides --key. */
const optionsOf = {
  'a saved proof': ['policy', 'handle', 'source', 'id', 'erasure'],
  'a signed statement': ['handle', 'document'],
  '--checkpoint': ['policy', 'checkpoint'],
  '--older, --newer and --consistency': ['policy', 'older', 'newer', 'consistency'],
} as const;

/** The caller would believe that an unused option was checked. */
function requireUsed(checked: keyof typeof optionsOf, options: VerifyOptions): void {
  const used: readonly string[] = ['key', ...optionsOf[checked]];
  const unused = Object.keys(options).find((name) => !used.includes(name));
  if (unused)
    throw usageError(
      `verify: --${unused} is not checked with ${checked}; nothing was checked. Check each in a separate run`,
    );
}

async function checkAll(path: string | undefined, options: VerifyOptions): Promise<VerifyOutcome> {
  const { checkpoint } = options;
  const pair = checkpoint === undefined ? '--older, --newer and --consistency' : '--checkpoint';
  const envelope = path === undefined ? undefined : readEnvelope(await readSaved(path));
  const file = envelope ? 'a signed statement' : 'a saved proof';
  requireUsed(path === undefined ? pair : file, options);
  if (envelope) return checkStatement(envelope, await readKey(options.key), options);
  const policy = options.policy === undefined ? undefined : await readPolicyFile(options.policy);
  const given = { key: await readKey(options.key), policy };
  if (path !== undefined) return checkProof(path, given, options);
  return checkpoint === undefined ? checkConsistency(options, given) : checkCheckpoint(checkpoint, given);
}

function requireAll({ checks, quorums }: VerifyOutcome): void {
  if (checks.some(({ holds }) => holds === false))
    throw new ExitError(1, 'verify: at least one check failed');
  if (quorums.some(({ holds }) => !holds))
    throw new ExitError(3, 'verify: fewer witnesses cosigned than the policy wants');
  if (checks.some(({ holds }) => holds === undefined))
    throw new ExitError(2, 'verify: there is no record to check the entry against');
}

/**
 * Sends nothing. Ends with 1 for a failed check, or 3 for missing cosignatures, or 2 for a proof without its
 * record.
 */
export async function runVerify(path: string | undefined, options: VerifyOptions): Promise<void> {
  const outcome = await checkAll(path, options);
  for (const { holds, message } of [...outcome.checks, ...outcome.quorums])
    process.stdout.write(
      `${holds === undefined ? 'open ' : holds ? 'holds' : 'FAILS'}  ${nameHidden(message)}\n`,
    );
  for (const note of outcome.notes) process.stdout.write(`note   ${nameHidden(note)}\n`);
  requireAll(outcome);
}
