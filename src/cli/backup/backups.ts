import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { toDamageError } from '../../app/open.ts';
import type { Context } from '../../context.ts';
import { every } from '../../core/every.ts';
import { ExitError, exitCodes, textOf } from '../../core/process.ts';
import { syncFolder } from '../../log/checkpoint-file.ts';
import type { LogContext } from '../../log/checkpoints.ts';
import { toBackupText } from '../../store/backup.ts';
import type { Store, StoreDump } from '../../store/store.ts';
import { measure } from '../../telemetry/events.ts';

interface Making {
  readonly version: string;
  /** Ends the backup and leaves no file behind. */
  readonly signal: AbortSignal;
  /** Called after every batch of rows with the number of rows read so far. */
  readonly onRows?: (done: number, total: number) => void;
}

async function writeDump(
  dump: StoreDump,
  stream: Writable,
  { version, signal, onRows }: Making,
): Promise<number> {
  const total = Object.values(dump.counts).reduce((sum, rows) => sum + rows, 0);
  if (total === dump.counts.log_head)
    throw new ExitError(exitCodes.configuration, 'DATABASE_URL: this database is empty');
  const made = { dossier: version, created_at: new Date().toISOString() };
  const text = toBackupText(dump, made, (done) => onRows?.(done, total));
  await pipeline(Readable.from(text), createGzip(), stream, { signal, end: stream !== process.stdout });
  return total;
}

/**
 * Writes a backup to a stream and returns the number of rows. Throws ExitError (78) for an empty database.
 */
export const writeBackup = (store: Store, stream: Writable, making: Making): Promise<number> =>
  store.dump((dump) => writeDump(dump, stream, making));

/**
 * The error of a backup that could not be made (74). It names the database if that is damaged, otherwise the
 * file.
 */
export function toBackupError(file: string, error: unknown): ExitError {
  if (error instanceof ExitError) return error;
  return toDamageError(error) ?? new ExitError(exitCodes.io, `${file}: cannot be written: ${textOf(error)}`);
}

/**
 * Writes a backup to a new file that only its owner can read, and returns the number of rows. The file gets
 * its name when it is complete: a killed process leaves at most `<file>.<uuid>.partial`. Throws ExitError: 74
 * if the file exists or cannot be written, 78 for an empty database.
 */
export async function writeBackupFile(store: Store, file: string, making: Making): Promise<number> {
  if (existsSync(file)) throw new ExitError(exitCodes.io, `${file}: already exists; choose another name`);
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    const made = await open(partial, 'wx', 0o600);
    const rows = await writeBackup(store, made.createWriteStream({ flush: true }), making);
    await rename(partial, file);
    // Some systems cannot open a folder to sync it.
    await syncFolder(dirname(file)).catch(() => undefined);
    return rows;
  } catch (error) {
    throw toBackupError(file, error);
  } finally {
    // Ignore errors of the cleanup, because the error to report is why the file could not be opened.
    await rm(partial, { force: true }).catch(() => undefined);
  }
}

const pattern = /^dossier-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.gz$/;
const partialPattern = /^dossier-[\dTZ-]+\.gz\.[\w-]+\.partial$/;

/** The backups in a folder that have the schedule's names, newest first. All other files are ignored. */
export async function listBackups(
  folder: string,
): Promise<readonly { readonly file: string; readonly madeAt_ms: number }[]> {
  return (await readdir(folder))
    .flatMap((name) => {
      const [, day, hour, minute, second] = pattern.exec(name) ?? [];
      const madeAt_ms = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
      return Number.isNaN(madeAt_ms) ? [] : [{ file: join(folder, name), madeAt_ms }];
    })
    .toSorted((a, b) => b.madeAt_ms - a.madeAt_ms);
}

/**
 * Deletes all but the newest `keep` backups made until `now`, and what killed ones left behind. A file dated
 * in the future neither counts nor is deleted, because its date says nothing. Do not call it while a backup
 * is being made.
 */
async function pruneBackups(folder: string, keep: number, now: Date): Promise<void> {
  const made = (await listBackups(folder)).filter(({ madeAt_ms }) => madeAt_ms <= now.getTime());
  const old = made.slice(keep).map(({ file }) => file);
  const partial = (await readdir(folder)).filter((name) => partialPattern.test(name));
  for (const file of [...old, ...partial.map((name) => join(folder, name))]) await rm(file, { force: true });
}

const emptySleep_ms = 5000;
/** The longest pause between two looks at the folder, and the pause after a failed backup. */
const longestSleep_ms = 600_000;

/**
 * The time until the next backup is due, at most ten minutes, and 0 if none was made. A backup dated in the
 * future by a wrong clock does not count.
 */
async function untilDue_ms({ config, clock }: Pick<Context, 'config' | 'clock'>): Promise<number> {
  const now_ms = clock().getTime();
  const newest = (await listBackups(config.backupDir)).find(({ madeAt_ms }) => madeAt_ms <= now_ms);
  if (newest) measure('dossier_backup_last_success_timestamp_seconds', {}, newest.madeAt_ms / 1000);
  const due_ms = newest ? newest.madeAt_ms + config.backupInterval_s * 1000 - now_ms : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

async function backUp({ config, store, log, clock }: LogContext, signal: AbortSignal): Promise<void> {
  const file = join(
    config.backupDir,
    `dossier-${clock().toISOString().slice(0, 19).replaceAll(':', '-')}Z.gz`,
  );
  const start_ms = performance.now();
  const rows = await writeBackupFile(store, file, { version: config.version, signal });
  await pruneBackups(config.backupDir, config.backupKeep, clock());
  log.info({ file, rows, ms: Math.round(performance.now() - start_ms) }, 'backup made');
}

/** Makes the folder of BACKUP_DIR if it does not exist. Throws ExitError (78) if that fails. */
export async function requireBackupDir({ backupDir }: Pick<Context['config'], 'backupDir'>): Promise<void> {
  if (!backupDir) return;
  await mkdir(backupDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new ExitError(exitCodes.configuration, `BACKUP_DIR: ${textOf(error)}`);
  });
}

/**
 * Makes a backup into BACKUP_DIR every BACKUP_INTERVAL, once there are listings, and keeps the newest
 * BACKUP_KEEP, until the signal. The newest file determines when the next is due, also after a restart. Does
 * nothing if BACKUP_DIR is not set. Never throws.
 */
export async function startBackups(context: LogContext, signal: AbortSignal): Promise<void> {
  if (!context.config.backupDir) return;
  await every({
    signal,
    pause_ms: longestSleep_ms,
    async run() {
      const rest_ms = await untilDue_ms(context);
      if (rest_ms > 0) return rest_ms;
      if ((await context.store.listings.count()) === 0) return emptySleep_ms;
      await backUp(context, signal);
      return 0;
    },
    onError(err) {
      measure('dossier_backup_failures_total');
      context.log.error({ err }, 'the backup failed; it is tried again in ten minutes');
    },
  });
}
