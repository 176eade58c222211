import { toProofText } from '../evidence/log/checkpoint.ts';
import { inclusionProof } from '../evidence/log/merkle.ts';
import { toVerifierText, verifierOf } from '../evidence/log/signed-note.ts';
import { Problem } from '../problem.ts';
import type { LogHead } from '../store/contract/transparency-log.ts';
import { checkpointCovering, type IssuingContext } from './issue-checkpoint.ts';
import { logPath, openLogKey } from './keys.ts';

/** Everything needed to verify one entry offline. */
export interface EntryProof {
  readonly log_index: number;
  /** URL of the log that contains it. */
  readonly log: string;
  readonly leaf: string;
  /** What the leaf commits to, with its salt; absent if it was erased. */
  readonly record?: string;
  readonly salt?: string;
  /** C2SP tlog-proof: index, path and signed checkpoint. */
  readonly proof: string;
  /** C2SP signed-note verifier key of the checkpoint. */
  readonly key: string;
}

const headOf = (heads: readonly LogHead[], index: number): LogHead | undefined =>
  heads.find(({ base, size }) => index >= base && index < base + size);

const noEntry = () => new Problem('not_found', { detail: 'No log entry has this index.' });

/** The proof of one entry under the newest checkpoint. Throws not_found, also for entries of a closed log. */
export async function proveEntry(context: IssuingContext, log_index: number): Promise<EntryProof> {
  const { store, config } = context;
  const head = headOf(await store.log.heads(), log_index);
  if (!head) throw noEntry();
  if (head.closed_with !== undefined)
    throw new Problem('not_found', {
      detail: 'The entry belongs to a closed log, whose last checkpoint is still served at its address.',
    });
  const checkpoint = await checkpointCovering(context, log_index);
  const entry = await store.log.leaf(log_index);
  if (!entry) throw noEntry();
  const index = log_index - head.base;
  const path = await inclusionProof(store.log.tree(head.id), index, checkpoint.size);
  return {
    log_index,
    log: `${config.publicUrl}${logPath(head.id)}`,
    leaf: entry.leaf,
    ...(await store.log.record(log_index)),
    proof: toProofText(index, path, checkpoint.text),
    key: toVerifierText(verifierOf(await openLogKey(context, head.id))),
  };
}
