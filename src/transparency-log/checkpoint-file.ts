import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Checkpoint, readCheckpoint } from '../evidence/log/checkpoint.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { treeRoot } from '../evidence/log/merkle.ts';
import type { LogReads } from '../store/contract/transparency-log.ts';
import { type LogContext, logOfOrigin } from './keys.ts';

/** Path of the checkpoint file, outside the database; undefined if none is configured and the database is no file. */
function checkpointPath({ checkpointFile, databaseUrl }: Config): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

/** Replaces the checkpoint file atomically. To be called before a checkpoint is published. */
export async function saveCheckpoint({ config }: LogContext, text: string): Promise<void> {
  const path = checkpointPath(config);
  if (!path) return;
  await mkdir(dirname(path), { recursive: true });
  const fresh = await open(`${path}.${process.pid}.new`, 'w');
  await fresh.writeFile(text);
  await fresh.sync();
  await fresh.close();
  await rename(`${path}.${process.pid}.new`, path);
}

async function readCheckpointFile(config: Config): Promise<string | undefined> {
  const path = checkpointPath(config);
  if (!path) return undefined;
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Whether the database contains a checkpoint's tree. A log that was closed counts: another node has handled it. */
async function isContained(log: LogReads, checkpoint: Checkpoint): Promise<boolean> {
  const head = (await log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return true;
  if (!head || head.size < checkpoint.size) return false;
  return (await treeRoot(log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
}

/**
 * Compares the database with the checkpoint file. If the database does not contain that checkpoint's tree (an older
 * backup was restored), closes the log with the checkpoint and opens the next log, whose first entry is the checkpoint.
 * Returns whether it did so. To be called once, before anything is written (docs/trust.md section 4).
 */
export async function compareWithCheckpointFile(context: LogContext): Promise<boolean> {
  const { store, config, clock, log } = context;
  const text = await readCheckpointFile(config);
  const checkpoint = text === undefined ? undefined : readCheckpoint(text);
  if (text === undefined || !checkpoint) return false;
  if (await isContained(store.log, checkpoint)) return false;
  const isOpened = await store.write(async (tx) => {
    if (await isContained(tx.log, checkpoint)) return false;
    await tx.log.openNext(text, clock().toISOString());
    await tx.log.append(toLeaf('log.continued', { checkpoint: text }));
    return true;
  });
  if (isOpened)
    log.warn(
      { size: checkpoint.size },
      'the database is older than the published checkpoint; a new transparency log was opened',
    );
  return isOpened;
}
