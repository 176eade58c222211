import { ExitError, exitCodes } from '../../config/exit.ts';
import { readCheckpoint } from '../../evidence/log/checkpoint.ts';
import { readVerifier } from '../../evidence/log/signed-note.ts';
import type { Check } from '../../evidence/log/verify.ts';
import { type Policy, PolicyFault } from '../../evidence/log/witness/policy.ts';
import { checkWitnesses } from '../../evidence/log/witness/quorum.ts';
import { readPolicy } from '../../evidence/log/witness/read-policy.ts';
import { readSaved } from './saved-files.ts';

/** Reads a policy file. Throws ExitError (74) naming the line that is wrong. */
export async function readPolicyFile(path: string): Promise<Policy> {
  const text = await readSaved(path);
  try {
    return readPolicy(text);
  } catch (error) {
    if (!(error instanceof PolicyFault)) throw error;
    throw new ExitError(exitCodes.io, `${path}: not a policy of logs and witnesses: ${error.message}`);
  }
}

/** The key that a policy names for a checkpoint's log; undefined if it names none of that origin. */
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
    { holds, message: `the policy names ${holds ? 'this log' : 'other logs than the one of this key'}` },
  ];
}

/** What a policy says of a checkpoint that this key is said to have signed. */
export function checkPolicy(policy: Policy, checkpoint: string, key: string | undefined) {
  const { checks, quorum, notes } = checkWitnesses(checkpoint, policy);
  return { checks: [...checkLog(policy, key), ...checks], quorums: [quorum], notes };
}
