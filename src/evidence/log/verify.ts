import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openCheckpoint, readProofText } from './checkpoint.ts';
import { isConsistent, isIncluded, leafHash } from './merkle.ts';
import { readVerifier } from './signed-note.ts';

/** A saved answer of get_proof, as far as checking needs it. */
export const savedProof = z.object({
  leaf: z.string(),
  record: z.string().optional(),
  salt: z.string().optional(),
  proof: z.string(),
  key: z.string(),
});
export type SavedProof = z.infer<typeof savedProof>;

/** One thing that was checked, whether it holds, in a sentence. */
export interface Check {
  readonly holds: boolean;
  readonly says: string;
}

const commitment = (leaf: string): string | undefined => {
  try {
    return (JSON.parse(leaf) as { c?: string }).c;
  } catch {
    return undefined;
  }
};

function checkRecord({ leaf, record, salt }: SavedProof): Check {
  if (record === undefined || salt === undefined)
    return { holds: true, says: 'the record was erased: only the leaf is checked' };
  const digest = createHash('sha256').update(Buffer.from(salt, 'base64')).update(record).digest('base64');
  const holds = digest === commitment(leaf);
  return {
    holds,
    says: holds ? 'the leaf commits to this record' : 'the leaf does not commit to this record',
  };
}

/** Checks a saved proof with nothing but what it holds; `key` is the verifier you already had, where you had one. */
export function verifySavedProof(saved: SavedProof, key: string = saved.key): Check[] {
  const verifier = readVerifier(key);
  const proof = readProofText(saved.proof);
  const checkpoint = verifier && proof ? openCheckpoint(proof.checkpoint, verifier) : undefined;
  if (!proof || !checkpoint)
    return [checkRecord(saved), { holds: false, says: 'the checkpoint is not signed by this key' }];
  const isIn = isIncluded(leafHash(saved.leaf), { index: proof.index, ...checkpoint }, proof.path);
  return [
    checkRecord(saved),
    {
      holds: true,
      says: `the checkpoint of ${checkpoint.origin} at ${checkpoint.size} entries is signed by this key`,
    },
    {
      holds: isIn,
      says: isIn
        ? `the leaf is entry ${proof.index} under that checkpoint`
        : 'the leaf is not under that checkpoint',
    },
  ];
}

/** Checks that a newer checkpoint continues an older one, by a saved consistency proof (one base64 hash a line). */
export function verifyConsistency(
  older: string,
  newer: string,
  saved: { proof: string; key: string },
): Check[] {
  const verifier = readVerifier(saved.key);
  const [from, to] = [older, newer].map((text) => (verifier ? openCheckpoint(text, verifier) : undefined));
  if (!from || !to) return [{ holds: false, says: 'a checkpoint is not signed by this key' }];
  const path = saved.proof
    .split('\n')
    .filter(Boolean)
    .map((line) => Buffer.from(line, 'base64'));
  const holds = isConsistent(from, to, path);
  const trees = `${from.size} entries, ${to.size} entries`;
  return [
    { holds: true, says: `both checkpoints of ${to.origin} are signed by this key` },
    {
      holds,
      says: holds
        ? `the newer tree continues the older one (${trees})`
        : `the newer tree does not continue the older one (${trees}): history was rewritten`,
    },
  ];
}
