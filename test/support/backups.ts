import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AllRows, readAllRows } from './all-rows.ts';
import { type Ended, runDossier } from './command.ts';
import { openDirectory } from './directory.ts';
import { manyEntries } from './registry-entries.ts';

/** A database of 1,200 listings in SQLite, a backup of it, and ways to restore that. */
export interface Backups {
  readonly folder: string;
  readonly original: string;
  /** The bytes of the backup. */
  readonly whole: Buffer;
  /** What the database holds. */
  readonly rows: AllRows;
  path(name: string): string;
  /** Settings of a command on a database. */
  settings(databaseUrl: string): Record<string, string>;
  /** Runs `dossier restore` on a file of these bytes. */
  restore(backup: Buffer, databaseUrl: string): Promise<Ended & { file: string }>;
  close(): void;
}

/** Makes it; close it after use. */
export async function createBackups(): Promise<Backups> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-backups-'));
  const path = (name: string) => join(folder, name);
  const original = `file:${path('original.db')}`;
  const settings = (DATABASE_URL: string) => ({
    DATABASE_URL,
    REGISTRY_URL: 'off',
    LOG_LEVEL: 'error',
    PORT: '0',
  });
  const directory = await openDirectory({
    entries: manyEntries(1200),
    environment: { DATABASE_URL: original },
  });
  await directory.close();
  await runDossier(['backup', path('whole.gz')], settings(original));
  let saved = 0;
  return {
    folder,
    original,
    whole: readFileSync(path('whole.gz')),
    rows: await readAllRows(original),
    path,
    settings,
    async restore(backup, databaseUrl) {
      const file = path(`${saved++}.gz`);
      writeFileSync(file, backup);
      return { file, ...(await runDossier(['restore', file], settings(databaseUrl))) };
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}

/** How every command ends on a database into which a restore has not ended. */
export const refused: Ended = {
  code: 78,
  stdout: '',
  stderr:
    'DATABASE_URL: a restore into this database is running or was interrupted; wait for it to end, or run it again\n',
};

/** The last line on standard error. */
export const lastLine = ({ stderr }: Pick<Ended, 'stderr'>): string | undefined =>
  stderr.trim().split('\n').at(-1);
