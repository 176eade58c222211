import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { connectStore, toDamageError } from '../../app/open.ts';
import type { Config } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { every } from '../../core/every.ts';
import { ExitError, ioError, settingsError, textOf, usageError } from '../../core/process.ts';
import { counted } from '../../core/text.ts';
import {
  checkpointPath,
  replaceCheckpointFile,
  requireCheckpointFolder,
  syncFolder,
} from '../../log/checkpoint-file.ts';
import { checkpointForBackup, type IssuingContext } from '../../log/checkpoints.ts';
import { type BackupHeader, readBackup, toBackupText } from '../../store/backup.ts';
import type { Load, Store, StoreDump } from '../../store/store.ts';
import { createLog } from '../../telemetry/logger.ts';
import { measure } from '../../telemetry/metrics.ts';
import { createBar, print, withStore } from '../shell.ts';

interface Making {
  readonly version: string;
  readonly checkpoint?: string | undefined;
  /** Ends the backup without a file. */
  readonly signal: AbortSignal;
  readonly onRows?: (done: number, total: number) => void;
}

async function writeDump(dump: StoreDump, stream: Writable, { version, checkpoint, signal, onRows }: Making) {
  const total = Object.values(dump.counts).reduce((sum, rows) => sum + rows, 0);
  if (total === dump.counts.log_head) throw settingsError('DATABASE_URL: this database is empty');
  const made = { dossier: version, created_at: new Date().toISOString(), checkpoint };
  const text = toBackupText(dump, made, (done) => onRows?.(done, total));
  await pipeline(Readable.from(text), createGzip(), stream, { signal, end: stream !== process.stdout });
  return total;
}

/** Returns the number of rows. */
export const writeBackup = (store: Store, stream: Writable, making: Making): Promise<number> =>
  store.dump((dump) => writeDump(dump, stream, making));

export function toBackupError(file: string, error: unknown): ExitError {
  if (error instanceof ExitError) return error;
  return toDamageError(error) ?? ioError(`${file}: cannot be written: ${textOf(error)}`);
}

/** Only its owner can read the file. A killed process leaves at most `<file>.<uuid>.partial`. */
export async function writeBackupFile(store: Store, file: string, making: Making): Promise<number> {
  if (existsSync(file)) throw ioError(`${file}: already exists; choose another name`);
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    // A dump that fails before it is written leaves the stream as it was.
    await using made = await open(partial, 'wx', 0o600);
    const rows = await writeBackup(store, made.createWriteStream({ flush: true }), making);
    await rename(partial, file);
    // Some systems cannot sync a folder.
    await syncFolder(dirname(file)).catch(() => undefined);
    return rows;
  } catch (error) {
    throw toBackupError(file, error);
  } finally {
    // An error here would hide why the file could not be written.
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

const pattern = /^dossier-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.gz$/;
const partialPattern = /^dossier-[\dTZ-]+\.gz\.[\w-]+\.partial$/;

/** Newest first. */
export async function listBackups(folder: string) {
  return (await readdir(folder))
    .flatMap((name) => {
      const [, day, hour, minute, second] = pattern.exec(name) ?? [];
      const madeAt_ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(madeAt_ms) ? [] : [{ file: join(folder, name), madeAt_ms }];
    })
    .toSorted((a, b) => b.madeAt_ms - a.madeAt_ms);
}

/** The date of a file in the future says nothing. Not while a backup is made. */
async function pruneBackups(folder: string, keep: number, now: Date): Promise<void> {
  const made = (await listBackups(folder)).filter(({ madeAt_ms }) => madeAt_ms <= now.getTime());
  const old = made.slice(keep).map(({ file }) => file);
  const partial = (await readdir(folder)).filter((name) => partialPattern.test(name));
  for (const file of [...old, ...partial.map((name) => join(folder, name))]) await rm(file, { force: true });
}

const emptySleep_ms = 5000;
/** Also the pause after a failed backup. */
const longestSleep_ms = 600_000;

async function untilDue_ms({ config, clock }: Pick<Context, 'config' | 'clock'>): Promise<number> {
  const now_ms = clock().getTime();
  const newest = (await listBackups(config.backupDir)).find(({ madeAt_ms }) => madeAt_ms <= now_ms);
  if (newest) measure('dossier_backup_last_success_timestamp_seconds', {}, newest.madeAt_ms / 1000);
  const due_ms = newest ? newest.madeAt_ms + config.backupInterval_s * 1000 - now_ms : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

async function backUpOnce(context: IssuingContext, signal: AbortSignal): Promise<void> {
  const { config, store, log, clock } = context;
  const file = join(
    config.backupDir,
    `dossier-${clock().toISOString().slice(0, 19).replaceAll(':', '-')}Z.gz`,
  );
  const start_ms = performance.now();
  const checkpoint = await checkpointForBackup(context);
  const rows = await writeBackupFile(store, file, { version: config.version, checkpoint, signal });
  await pruneBackups(config.backupDir, config.backupKeep, clock());
  log.info({ file, rows, ms: Math.round(performance.now() - start_ms) }, 'backup made');
}

export async function requireBackupDir({ backupDir }: Pick<Context['config'], 'backupDir'>): Promise<void> {
  if (!backupDir) return;
  await mkdir(backupDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw settingsError(`BACKUP_DIR: ${textOf(error)}`);
  });
}

/** Due by the newest file, also after a restart. Never throws. */
export async function startBackups(context: IssuingContext, signal: AbortSignal): Promise<void> {
  if (!context.config.backupDir) return;
  await every({
    signal,
    pause_ms: longestSleep_ms,
    async run() {
      const rest_ms = await untilDue_ms(context);
      if (rest_ms > 0) return rest_ms;
      if ((await context.store.listings.count()) === 0) return emptySleep_ms;
      await backUpOnce(context, signal);
      return 0;
    },
    onError(err) {
      measure('dossier_backup_failures_total');
      context.log.error({ err }, 'the backup failed; it is tried again in ten minutes');
    },
  });
}

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
    throw ioError(`${file}: cannot be read: ${toReason(error)}`);
  }
}

async function beginLoad(store: Store): Promise<Load> {
  const load = await store.load();
  if (load) return load;
  throw settingsError(
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
    throw ioError(begun ? `${reason}; ${unfinished}` : reason);
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
