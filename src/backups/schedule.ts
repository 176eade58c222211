import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, exitCodes } from '../config/exit.ts';
import type { Context } from '../context.ts';
import { backupsMade } from '../observability/events.ts';
import { writeBackupFile } from './file.ts';
import { listBackups, pruneBackups, toBackupName } from './kept.ts';

type BackupContext = Pick<Context, 'config' | 'store' | 'log' | 'clock'>;

/** Until there is something to back up. */
const emptySleep_ms = 5000;
/** Also how soon a backup that failed is tried again. */
const longestSleep_ms = 600_000;

/** When a backup is due again: at once where none was made. One dated in the future, by a wrong clock, does not count. */
async function untilDue_ms({ config, clock }: BackupContext): Promise<number> {
  const now_ms = clock().getTime();
  const newest = (await listBackups(config.backupDir)).find(({ madeAt_ms }) => madeAt_ms <= now_ms);
  if (newest) backupsMade.publish({ lastAt_ms: newest.madeAt_ms });
  const due_ms = newest ? newest.madeAt_ms + config.backupInterval_s * 1000 - now_ms : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

async function backUp({ config, store, log, clock }: BackupContext, signal: AbortSignal): Promise<void> {
  const file = join(config.backupDir, toBackupName(clock()));
  const start_ms = performance.now();
  const rows = await writeBackupFile(store, file, { version: config.version, signal });
  await pruneBackups(config.backupDir, config.backupKeep, clock());
  log.info({ file, rows, ms: Math.round(performance.now() - start_ms) }, 'backup made');
}

/** Waits until a backup is due, and makes it. Where it fails, says so and waits ten minutes. */
async function makeNext(context: BackupContext, signal: AbortSignal): Promise<void> {
  const wait = (ms: number) => sleep(ms, undefined, { signal, ref: false });
  try {
    const rest_ms = await untilDue_ms(context);
    if (rest_ms > 0) return void (await wait(rest_ms));
    if ((await context.store.listings.count()) === 0) return void (await wait(emptySleep_ms));
    await backUp(context, signal);
  } catch (error) {
    if (signal.aborted) return;
    backupsMade.publish({ failed: true });
    context.log.error({ err: error }, 'the backup failed; it is tried again in ten minutes');
    await wait(longestSleep_ms).catch(() => undefined);
  }
}

/** Makes the folder of BACKUP_DIR where there is none. Throws ExitError (78) where that cannot be. */
export async function requireBackupDir({ backupDir }: Pick<Context['config'], 'backupDir'>): Promise<void> {
  if (!backupDir) return;
  await mkdir(backupDir, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new ExitError(
      exitCodes.configuration,
      `BACKUP_DIR: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

/**
 * Makes a backup into BACKUP_DIR every BACKUP_INTERVAL and keeps the newest BACKUP_KEEP, until the signal; the newest
 * file says when the next is due, also after a restart. Does nothing where BACKUP_DIR is not set. Never throws.
 */
export async function startBackups(context: BackupContext, signal: AbortSignal): Promise<void> {
  while (context.config.backupDir && !signal.aborted) await makeNext(context, signal);
}
