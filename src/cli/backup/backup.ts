import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { connectStore } from '../../app/open.ts';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes, usageError } from '../../core/process.ts';
import { counted } from '../../core/text.ts';
import { checkpointPath, replaceCheckpointFile, requireCheckpointFolder } from '../../log/checkpoint-file.ts';
import { checkpointForBackup } from '../../log/checkpoints.ts';
import { type BackupHeader, readBackup } from '../../store/backup.ts';
import type { Load, Store } from '../../store/store.ts';
import { createLog } from '../../telemetry/logger.ts';
import { createBar, print, withStore } from '../shell.ts';
import { toBackupError, writeBackup, writeBackupFile } from './backups.ts';

const barForm = '{bar} {value}/{total} rows | {duration_formatted}';

async function backUp(store: Store, file: string, config: Config): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  using bar = createBar(barForm);
  try {
    const context = { config, store, log: await createLog(config), clock: () => new Date(), checkpoints: {} };
    const checkpoint = await checkpointForBackup(context);
    const making = { version: config.version, checkpoint, signal: stopping.signal, onRows: bar.show };
    if (file !== '-') return await writeBackupFile(store, file, making);
    return await writeBackup(store, process.stdout, making).catch((error: unknown) => {
      throw toBackupError(file, error);
    });
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** `-` is standard output. */
export async function runBackup(config: Config, file: string): Promise<void> {
  if (file === '-' && process.stdout.isTTY)
    throw usageError('refusing to write a binary backup to a terminal; redirect it to a file or a program');
  const start = performance.now();
  const rows = await withStore(config, (store) => backUp(store, file, config));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stderr.write(
    `${file}: ${rows} ${rows === 1 ? 'row' : 'rows'} in ${seconds} s; it contains keys, so keep it secret\n`,
  );
}

const unfinished =
  'the database is now incomplete and no service starts on it; run dossier restore again with a complete backup';

function toReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return 'truncated';
  return code?.startsWith('Z_') ? 'damaged, or not a backup' : message;
}

async function openSource(file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    return (await open(file)).createReadStream();
  } catch (error) {
    throw new ExitError(exitCodes.io, `${file}: cannot be read: ${toReason(error)}`);
  }
}

async function beginLoad(store: Store): Promise<Load> {
  const load = await store.load();
  if (load) return load;
  throw new ExitError(
    exitCodes.configuration,
    'DATABASE_URL: this database is not empty (starting the service once fills it); set DATABASE_URL to a new one',
  );
}

async function fill(load: Load, { header, batches }: Awaited<ReturnType<typeof readBackup>>): Promise<void> {
  const total = Object.values(header.rows).reduce((sum, rows) => sum + rows, 0);
  let done = 0;
  using bar = createBar(barForm);
  for await (const { table, rows } of batches) {
    await load.put(table, rows);
    done += rows.length;
    bar.show(done, total);
  }
  await load.finish(header.rows);
}

async function restoreInto(store: Store, file: string): Promise<BackupHeader | undefined> {
  const source = await openSource(file);
  let begun: BackupHeader | undefined;
  try {
    await pipeline(source, createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      const backup = await readBackup(chunks);
      const load = await beginLoad(store);
      begun = backup.header;
      await fill(load, backup);
    });
    return begun;
  } catch (error) {
    if (error instanceof ExitError) throw error;
    const reason = `${file}: ${toReason(error)}`;
    throw new ExitError(exitCodes.io, begun ? `${reason}; ${unfinished}` : reason);
  }
}

/**
 * `-` is standard input. After a failed restore, no service starts until one succeeds; rows of an interrupted
 * one are deleted.
 */
export async function runRestore(config: Config, file: string): Promise<void> {
  await requireCheckpointFolder(config);
  await using store = await connectStore(config, 'make');
  const header = await restoreInto(store, file);
  const path = checkpointPath(config);
  // A file may show that a newer log was signed.
  if (header?.checkpoint && path && !existsSync(path))
    await replaceCheckpointFile(path, header.checkpoint, config);
  print(`restored ${file}, made ${header?.created_at} by Dossier ${header?.dossier}`);
  const paused = (await store.webhooks.list()).filter(({ state }) => state === 'paused').length;
  const [are, them] = paused === 1 ? ['is', 'it'] : ['are', 'them'];
  if (paused > 0)
    print(`${counted(paused, 'webhook')} ${are} paused; dossier webhooks resume makes ${them} active again`);
}
