import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import { toBackupText } from '../store/backup/format.ts';
import type { Dump } from '../store/contract/backup.ts';
import { openStore } from '../store/open.ts';
import { startBar } from './progress.ts';

const toFailure = (file: string, error: unknown) =>
  new ExitError(
    exitCodes.io,
    `${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`,
  );

/** A new file that only its owner reads, or standard output. Throws ExitError where the file is there already. */
async function openTarget(file: string) {
  if (file === '-' && process.stdout.isTTY)
    throw new ExitError(
      exitCodes.usage,
      'a backup is no text for a terminal; send it to a file or a program',
    );
  if (file === '-') return { stream: process.stdout, end: false, remove: async () => {} };
  try {
    const made = await open(file, 'wx', 0o600);
    return { stream: made.createWriteStream({ flush: true }), end: true, remove: () => rm(file) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw toFailure(file, error);
    throw new ExitError(exitCodes.io, `${file}: is there already; name another file`);
  }
}

/** The same dump; every batch that was taken moves the bar. */
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
    throw new ExitError(exitCodes.configuration, 'DATABASE_URL: there is nothing in this database');
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
 * Writes everything that the database holds at one moment to a new file (`-`: standard output), gzipped, with progress on
 * standard error; a service that runs is not held up. Ends with 74 where the file is there already or cannot be written,
 * and then leaves none behind.
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
    process.stderr.write(`${file}: ${rows} rows in ${seconds} s; it holds keys, keep it as a secret\n`);
  } finally {
    await store.close();
  }
}
