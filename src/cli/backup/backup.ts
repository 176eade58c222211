import { toBackupError, writeBackup, writeBackupFile } from '../../backups/file.ts';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { startBar } from '../progress.ts';

/** Writes to standard output, or to a new file, with a progress bar, until SIGINT or SIGTERM. */
async function backUp(store: Store, file: string, version: string): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let bar: ReturnType<typeof startBar> | undefined;
  const onRows = (rows: number, total: number) => {
    bar ??= startBar('{bar} {value}/{total} rows | {duration_formatted}', total);
    bar.increment(rows);
  };
  const making = { version, signal: stopping.signal, onRows };
  try {
    if (file !== '-') return await writeBackupFile(store, file, making);
    return await writeBackup(store, process.stdout, making).catch((error: unknown) => {
      throw toBackupError(file, error);
    });
  } finally {
    bar?.stop();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/**
 * Writes the state of the database at one moment to a new gzip file (`-`: standard output), with progress on standard
 * error; a running service is not blocked. Ends with 74 if the file exists or cannot be written, and leaves nothing then.
 */
export async function runBackup(config: Config, file: string): Promise<void> {
  if (file === '-' && process.stdout.isTTY)
    throw new ExitError(
      exitCodes.usage,
      'refusing to write a binary backup to a terminal; redirect it to a file or a program',
    );
  const start = performance.now();
  const store = await openStore(config);
  try {
    const rows = await backUp(store, file, config.version);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(
      `${file}: ${rows} ${rows === 1 ? 'row' : 'rows'} in ${seconds} s; it contains keys, so keep it secret\n`,
    );
  } finally {
    await store.close();
  }
}
