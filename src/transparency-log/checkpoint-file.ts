import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Config } from '../config/config.ts';
import { type Checkpoint, openCheckpoint, readCheckpoint } from '../evidence/log/checkpoint.ts';
import { toLeaf } from '../evidence/log/leaf.ts';
import { treeRoot } from '../evidence/log/merkle.ts';
import { verifierOf } from '../evidence/log/signed-note.ts';
import type { LogReads } from '../store/contract/transparency-log.ts';
import { findKeyOfOrigin, type LogContext, logOfOrigin } from './keys.ts';

/** Path of the checkpoint file, outside the database; undefined if none is configured and the database is no file. */
function checkpointPath({
  checkpointFile,
  databaseUrl,
}: Pick<Config, 'checkpointFile' | 'databaseUrl'>): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

/** Makes a rename in a folder survive a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Whether what is saved is of a larger tree of the same log, or of a later log: another process was faster. */
async function isOlderThan(text: string, context: LogContext, checkpoint: Checkpoint): Promise<boolean> {
  const saved = await openOwnCheckpoint(context, text);
  if (!saved) return false;
  const [log, savedLog] = [logOfOrigin(checkpoint.origin), logOfOrigin(saved.origin)];
  return log < savedLog || (log === savedLog && checkpoint.size < saved.size);
}

/** Nodes with the same process id may share the folder. */
const processName = randomUUID();

/**
 * Replaces the checkpoint file atomically, unless it has this checkpoint or a newer one. To be called each time before a
 * checkpoint is published, one call of a process after the other: another process that read the file just before this one
 * replaced it may have put back an older one.
 */
export async function saveCheckpoint(context: LogContext, text: string): Promise<void> {
  const path = checkpointPath(context.config);
  const checkpoint = readCheckpoint(text);
  if (!path || !checkpoint) return;
  const saved = await readCheckpointFile(context.config);
  if (saved === text || (await isOlderThan(saved ?? '', context, checkpoint))) return;
  await mkdir(dirname(path), { recursive: true });
  const fresh = await open(`${path}.${processName}.new`, 'w');
  try {
    await fresh.writeFile(text);
    await fresh.sync();
  } finally {
    // Node.js ends the process when it collects a handle that nobody closed.
    await fresh.close();
  }
  await rename(`${path}.${processName}.new`, path);
  await syncFolder(dirname(path));
}

/** Whether a checkpoint could be saved; the error says why not. Makes the folder where there is none. */
export async function requireCheckpointFolder(
  config: Pick<Config, 'checkpointFile' | 'databaseUrl'>,
): Promise<void> {
  const path = checkpointPath(config);
  if (!path) return;
  await mkdir(dirname(path), { recursive: true });
  await access(dirname(path), constants.W_OK);
}

/** The content of the checkpoint file; undefined if there is none. A file that cannot be read has no content. */
export async function readCheckpointFile(
  config: Pick<Config, 'checkpointFile' | 'databaseUrl'>,
): Promise<string | undefined> {
  const path = checkpointPath(config);
  if (!path) return undefined;
  return readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? undefined : '',
  );
}

/** Parses a checkpoint that this database's key signed, under whatever PUBLIC_URL; undefined for any other text. */
async function openOwnCheckpoint(context: LogContext, text: string): Promise<Checkpoint | undefined> {
  const origin = readCheckpoint(text)?.origin;
  const key = origin === undefined ? undefined : await findKeyOfOrigin(context, origin);
  return key && openCheckpoint(text, verifierOf(key));
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
 * Returns whether it did so. A file without a valid signature of this database's key is reported and otherwise ignored.
 * To be called once, before anything is written (docs/trust.md section 4).
 */
export async function compareWithCheckpointFile(context: LogContext): Promise<boolean> {
  const { store, config, clock, log } = context;
  const text = await readCheckpointFile(config);
  if (text === undefined) return false;
  const checkpoint = await openOwnCheckpoint(context, text);
  if (!checkpoint) {
    log.error(
      { file: checkpointPath(config) },
      'the checkpoint file is unreadable, cut off or not signed by the key of this database, so a roll-back of the database cannot be detected at this start; compare the log with a checkpoint stored elsewhere',
    );
    return false;
  }
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
