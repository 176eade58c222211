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
import { checkpointForBackup, type IssuingContext } from '../../log/checkpoints.ts';
import { toBackupText } from '../../store/backup.ts';
import type { Store, StoreDump } from '../../store/store.ts';
import { measure } from '../../telemetry/events.ts';

interface Making {
  readonly version: string;
  readonly checkpoint?: string | undefined;
  /** Ends the backup without a file. */
  readonly signal: AbortSignal;
  readonly onRows?: (done: number, total: number) => void;
}

async function writeDump(
  dump: StoreDump,
  stream: Writable,
  { version, checkpoint, signal, onRows }: Making,
): Promise<number> {
  const total = Object.values(dump.counts).reduce((sum, rows) => sum + rows, 0);
  if (total === dump.counts.log_head)
    throw new ExitError(exitCodes.configuration, 'DATABASE_URL: this database is empty');
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
  return toDamageError(error) ?? new ExitError(exitCodes.io, `${file}: cannot be written: ${textOf(error)}`);
}

/** Only its owner can read the file. A killed process leaves at most `<file>.<uuid>.partial`. */
export async function writeBackupFile(store: Store, file: string, making: Making): Promise<number> {
  if (existsSync(file)) throw new ExitError(exitCodes.io, `${file}: already exists; choose another name`);
  const partial = `${file}.${randomUUID()}.partial`;
  try {
    const made = await open(partial, 'wx', 0o600);
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

async function backUp(context: IssuingContext, signal: AbortSignal): Promise<void> {
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
    throw new ExitError(exitCodes.configuration, `BACKUP_DIR: ${textOf(error)}`);
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
      await backUp(context, signal);
      return 0;
    },
    onError(err) {
      measure('dossier_backup_failures_total');
      context.log.error({ err }, 'the backup failed; it is tried again in ten minutes');
    },
  });
}
