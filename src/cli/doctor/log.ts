import { readCheckpoint } from '../../evidence/log/checkpoint.ts';
import { treeRoot } from '../../evidence/log/merkle.ts';
import type { Store } from '../../store/store.ts';
import { readCheckpointFile } from '../../transparency-log/checkpoint-file.ts';
import { logOfOrigin } from '../../transparency-log/keys.ts';
import { type Check, type Finding, fault, fine, warning } from './check.ts';

const auditAge_ms = 2 * 86_400_000;

/** Whether the database contains the tree of the checkpoint that was published last. */
async function compareWithFile(store: Store, text: string): Promise<Finding> {
  const checkpoint = readCheckpoint(text);
  if (!checkpoint)
    return warning(
      'the checkpoint file is unreadable, so a rolled back database would not be noticed',
      'compare /log/checkpoint with one stored elsewhere, then remove the file',
    );
  const head = (await store.log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return fine('the checkpoint file is of a log that was closed');
  const isContained =
    head !== undefined &&
    head.size >= checkpoint.size &&
    (await treeRoot(store.log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
  if (isContained) return fine(`continues the published checkpoint of ${checkpoint.size} entries`);
  return fault(
    `the database has ${head?.size ?? 0} entries and does not contain the published checkpoint of ${checkpoint.size}: it is an older copy`,
    'restore the newest backup; if there is none, the next start closes this log and opens another',
  );
}

async function readAudit(store: Store, now: Date): Promise<Finding> {
  const last = await store.audits.last();
  if (!last?.finished_at) return fine('not audited yet; the service does so when it starts');
  if (last.faults > 0)
    return fault(
      `${last.faults} differences between it and what is shown (${last.finished_at})`,
      'run dossier audit',
    );
  const text = `what is shown agreed with ${last.entries} entries (${last.finished_at})`;
  return now.getTime() - Date.parse(last.finished_at) > auditAge_ms
    ? warning(text, 'no audit finished for two days: look at the log, or run dossier audit')
    : fine(text);
}

/** The transparency log against the checkpoint that was published last, and its last audit. */
export const log: Check = {
  name: 'log',
  async look({ config, store, clock }) {
    if (!store) return [fine('there is none yet')];
    const text = await readCheckpointFile(config);
    const compared =
      text === undefined ? fine('no checkpoint was published yet') : await compareWithFile(store, text);
    return [compared, await readAudit(store, clock())];
  },
};
