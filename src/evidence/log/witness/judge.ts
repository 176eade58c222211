import { openCheckpoint, readCheckpoint } from '../checkpoint.ts';
import { isConsistent, rootOfLeaves, type TreeHead } from '../merkle.ts';
import { type AddCheckpoint, readAddCheckpoint } from './add-checkpoint.ts';
import type { PolicyLog } from './policy.ts';

/** What a witness answers: it cosigns, or says why not, with the status of C2SP tlog-witness. */
export type Judgement =
  | { readonly status: 200; readonly origin: string; readonly head: TreeHead; readonly checkpoint: string }
  | { readonly status: 409; readonly size: number }
  | { readonly status: 400 | 403 | 404 | 422; readonly message: string };

const empty: TreeHead = { size: 0, root: rootOfLeaves([]) };

/** Judges a checkpoint that its log signed. */
function judgeTree({ oldSize, path, checkpoint }: AddCheckpoint, head: TreeHead, last: TreeHead) {
  const { size, root } = head;
  if (oldSize > size) return { status: 400, message: 'the old size is larger than the checkpoint' } as const;
  if (oldSize !== last.size) return { status: 409, size: last.size } as const;
  // Another tree of the same size is a conflict, not a proof that fails (tlog-witness, "add-checkpoint").
  if (last.size === size && !last.root.equals(root)) return { status: 409, size } as const;
  if (!isConsistent(last, { size, root }, path))
    return { status: 422, message: `the tree does not continue the one of ${last.size} entries` } as const;
  return { status: 200, head: { size, root }, checkpoint } as const;
}

/**
 * Judges a request to cosign. `logs` are those that the witness knows; `lastOf` is the tree that it cosigned last for an
 * origin. To be called so that no other request for this origin is judged before the result is stored.
 */
export function judge(
  body: string,
  logs: readonly PolicyLog[],
  lastOf: (origin: string) => TreeHead | undefined,
): Judgement {
  const request = readAddCheckpoint(body);
  const claimed = readCheckpoint(request?.checkpoint ?? '');
  if (!request || !claimed) return { status: 400, message: 'not a request of c2sp.org/tlog-witness' };
  const log = logs.find(({ verifier }) => verifier.name === claimed.origin);
  if (!log) return { status: 404, message: 'this witness does not know the log' };
  const opened = openCheckpoint(request.checkpoint, log.verifier);
  if (!opened) return { status: 403, message: 'the checkpoint is not signed by the key of its log' };
  const judged = judgeTree(request, opened, lastOf(opened.origin) ?? empty);
  return judged.status === 200 ? { ...judged, origin: opened.origin } : judged;
}
