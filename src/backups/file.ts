import { randomUUID } from 'node:crypto';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ExitError, exitCodes } from '../config/exit.ts';
import { toBackupText } from '../store/backup/write.ts';
import type { Dump } from '../store/contract/backup.ts';
import { toDamageError } from '../store/open.ts';
import type { Store } from '../store/store.ts';

/** How a backup is made. */
export interface Making {
  /** Of Dossier, for the header. */
  readonly version: string;
  /** Ends it; nothing is left of a file then. */
  readonly signal: AbortSignal;
  /** Called for every batch of rows that is read. */
  readonly onRows?: (rows: number, total: number) => void;
}

const totalOf = ({ counts }: Pick<Dump, 'counts'>) =>
  Object.values(counts).reduce((sum, rows) => sum + rows, 0);

/** The same dump, which says how far it is read. */
const watched = (dump: Dump, onRows: Making['onRows']): Dump => ({
  counts: dump.counts,
  async *read() {
    for await (const batch of dump.read()) {
      yield batch;
      onRows?.(batch.rows.length, totalOf(dump));
    }
  },
});

async function writeDump(dump: Dump, stream: Writable, { version, signal, onRows }: Making): Promise<number> {
  const total = totalOf(dump);
  if (total === dump.counts.log_head)
    throw new ExitError(exitCodes.configuration, 'DATABASE_URL: this database is empty');
  const text = toBackupText(watched(dump, onRows), {
    dossier: version,
    created_at: new Date().toISOString(),
  });
  await pipeline(Readable.from(text), createGzip(), stream, { signal, end: stream !== process.stdout });
  return total;
}

/** Writes a backup to a stream and returns the number of rows. Throws ExitError (78) for an empty database. */
export const writeBackup = (store: Store, stream: Writable, making: Making): Promise<number> =>
  store.dump((dump) => writeDump(dump, stream, making));

/** The error of a backup that could not be made (74): of the database where that is damaged, else of the file. */
export function toBackupError(file: string, error: unknown): ExitError {
  if (error instanceof ExitError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return toDamageError(error) ?? new ExitError(exitCodes.io, `${file}: cannot be written: ${reason}`);
}

/** Makes the new name of a file durable; not every system can open a folder for that. */
async function syncFolder(file: string): Promise<void> {
  const folder = await open(dirname(file)).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

async function writeAndRename(store: Store, file: string, making: Making): Promise<number> {
  const partial = `${file}.${randomUUID()}.partial`;
  const made = await open(partial, 'wx', 0o600);
  try {
    const rows = await writeBackup(store, made.createWriteStream({ flush: true }), making);
    await rename(partial, file);
    await syncFolder(file);
    return rows;
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Writes a backup to a new file for its owner only, and returns the number of rows. The file gets its name when it is
 * complete: whoever is killed leaves `<file>.<uuid>.partial` at most. Throws ExitError: 74 if the file exists or cannot be
 * written, 78 for an empty database.
 */
export async function writeBackupFile(store: Store, file: string, making: Making): Promise<number> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new ExitError(exitCodes.io, `${file}: already exists; choose another name`);
  return writeAndRename(store, file, making).catch((error: unknown) => {
    throw toBackupError(file, error);
  });
}
