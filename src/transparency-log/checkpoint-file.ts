import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Checkpoint, readCheckpoint } from '../evidence/log/checkpoint.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { treeRoot } from '../evidence/log/merkle.ts';
import type { LogReads } from '../store/contract/transparency-log.ts';
import { logOfOrigin, type RecordContext } from './keys.ts';

/** Where the newest published checkpoint is kept outside the database; undefined where there is no place for it. */
function keptPath({ checkpointFile, databaseUrl }: Config): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

/** Keeps a checkpoint, whole or not at all, before it is shown to anybody. */
export async function keepCheckpoint({ config }: RecordContext, text: string): Promise<void> {
  const path = keptPath(config);
  if (!path) return;
  await mkdir(dirname(path), { recursive: true });
  const fresh = await open(`${path}.${process.pid}.new`, 'w');
  await fresh.writeFile(text);
  await fresh.sync();
  await fresh.close();
  await rename(`${path}.${process.pid}.new`, path);
}

async function readKept(config: Config): Promise<string | undefined> {
  const path = keptPath(config);
  if (!path) return undefined;
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Whether the database still holds the tree that a checkpoint names, or closed its log: another node was first. */
async function isHeld(log: LogReads, checkpoint: Checkpoint): Promise<boolean> {
  const head = (await log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return true;
  if (!head || head.size < checkpoint.size) return false;
  return (await treeRoot(log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
}

/**
 * Compares the database with the newest checkpoint kept outside it. Where the database does not hold that tree (a
 * restored backup), the log is closed with that checkpoint, and the next one begins with it as its first entry.
 * Answers whether that was so. To be called once, before anything is written (trust.md section 4).
 */
export async function compareWithKept(context: RecordContext): Promise<boolean> {
  const { store, config, clock, log } = context;
  const text = await readKept(config);
  const kept = text === undefined ? undefined : readCheckpoint(text);
  if (text === undefined || !kept) return false;
  if (await isHeld(store.log, kept)) return false;
  const isOpened = await store.write(async (tx) => {
    if (await isHeld(tx.log, kept)) return false;
    await tx.log.openNext(text, clock().toISOString());
    await tx.log.append(toLeaf('log.continued', { checkpoint: text }));
    return true;
  });
  if (isOpened)
    log.warn({ size: kept.size }, 'the database is older than a published checkpoint: a new log was opened');
  return isOpened;
}
