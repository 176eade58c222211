import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import { toBackupText } from '../store/backup/write.ts';
import type { Dump } from '../store/contract/backup.ts';
import { openStore } from '../store/open.ts';
import { startBar } from './progress.ts';

const toFailure = (file: string, error: unknown) =>
  new ExitError(
    exitCodes.io,
    `${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`,
  );

/** Opens standard output or a new file for its owner only. Throws ExitError if the file exists. */
async function openTarget(file: string) {
  if (file === '-' && process.stdout.isTTY)
    throw new ExitError(
      exitCodes.usage,
      'refusing to write a binary backup to a terminal; redirect it to a file or a program',
    );
  if (file === '-') return { stream: process.stdout, end: false, remove: async () => {} };
  try {
    const made = await open(file, 'wx', 0o600);
    return { stream: made.createWriteStream({ flush: true }), end: true, remove: () => rm(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toFailure(file, error);
    throw new ExitError(exitCodes.io, `${file}: already exists; choose another name`);
  }
}

/** The same dump with a progress bar, which moves with every batch that is read. */
function withBar({ counts, read }: Dump): Dump & { stop(): void } {
  const bar = startBar('{bar} {value}/{total} rows | {duration_formatted}', totalOf({ counts }));
  return {
    counts,
    stop: () => bar.stop(),
    async *read() {
      for await (const batch of read()) {
        yield batch;
        bar.increment(batch.rows.length);
      }
    },
  };
}

const totalOf = ({ counts }: Pick<Dump, 'counts'>) =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);

type Target = Awaited<ReturnType<typeof openTarget>>;

async function writeDump(dump: Dump, version: string, { stream, end }: Target): Promise<number> {
  const total = totalOf(dump);
  if (total === dump.counts.log_head)
    throw new ExitError(exitCodes.configuration, 'DATABASE_URL: this database is empty');
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const shown = withBar(dump);
  try {
    const text = toBackupText(shown, { dossier: version, created_at: new Date().toISOString() });
    await pipeline(Readable.from(text), createGzip(), stream, { signal: stopping.signal, end });
  } finally {
    shown.stop();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
  return total;
}

/**
 * Writes the state of the database at one moment to a new gzip file (`-`: standard output), with progress on standard
 * error; a running service is not blocked. Ends with 74 if the file exists or cannot be written, and removes what it has
 * written.
 */
export async function runBackup(config: Config, file: string): Promise<void> {
  const start = performance.now();
  const store = await openStore(config);
  try {
    const target = await openTarget(file);
    const rows = await store
      .dump((dump) => writeDump(dump, config.version, target))
      .catch(async (error: unknown) => {
        await target.remove();
        throw error instanceof ExitError ? error : toFailure(file, error);
      });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stderr.write(`${file}: ${rows} rows in ${seconds} s; it contains keys, so keep it secret\n`);
  } finally {
    await store.close();
  }
}
