import { toProofText } from '../evidence/log/checkpoint.ts';
import { inclusionProof } from '../evidence/log/merkle.ts';
import { toVerifierText, verifierOf } from '../evidence/log/signed-note.ts';
import { Problem } from '../problem.ts';
import type { LogHead } from '../store/contract/transparency-log.ts';
import { checkpointCovering } from './issue-checkpoint.ts';
import { logPath, openLogKey, type RecordContext } from './keys.ts';

/** What anyone needs to check one entry offline. */
export interface EntryProof {
  readonly log_index: number;
  /** Address of the log that holds it. */
  readonly log: string;
  readonly leaf: string;
  /** What the leaf commits to, with its salt; absent where it was erased. */
  readonly record?: string;
  readonly salt?: string;
  /** C2SP tlog-proof: place, path and signed checkpoint. */
  readonly proof: string;
  /** C2SP signed-note verifier of the checkpoint. */
  readonly key: string;
}

const headOf = (heads: readonly LogHead[], index: number): LogHead | undefined =>
  heads.find(({ base, size }) => index >= base && index < base + size);

const noEntry = () => new Problem('not_found', { detail: 'No log entry has this index.' });

/** The proof of one entry under the newest checkpoint. Throws not_found; a closed log's entries are proven no more. */
export async function proveEntry(context: RecordContext, log_index: number): Promise<EntryProof> {
  const { store, config } = context;
  const head = headOf(await store.log.heads(), log_index);
  if (!head) throw noEntry();
  if (head.closed_with !== undefined)
    throw new Problem('not_found', {
      detail: 'The entry is in a log that was closed; its last checkpoint is at its address.',
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
