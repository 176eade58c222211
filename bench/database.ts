import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, runScript } from './command.ts';
import { startRegistry } from './server.ts';

/** A database of made-up listings, imported once by the command line from a registry on loopback. */
export interface Database {
  readonly url: string;
  readonly listings: number;
  /** How long the import of all of them took when it was made. */
  readonly import_s: number;
  readonly size_mb: number;
}

/** The seconds in the report of an import. */
const toImport_s = (report: string): number => {
  const [, seconds] = /import: ([\d.]+) s/.exec(report) ?? [];
  if (!seconds) throw new Error(`not the report of an import: ${report}`);
  return Number(seconds);
};

/** Removes a database file and what belongs to it. */
export const removeDatabase = (path: string): void => {
  for (const ending of ['', '-wal', '-shm', '.checkpoint']) rmSync(path + ending, { force: true });
};

const sizeOf_mb = (path: string) => statSync(path).size / 2 ** 20;

/**
 * Imports so many listings into a new database with `dossier import`; returns the seconds that it reports.
 */
export async function importInto(url: string, listings: number, checkout = projectRoot): Promise<number> {
  process.stderr.write(`importing ${listings} listings ... `);
  const registry = await startRegistry({ listings });
  try {
    const report = await runScript(
      ['src/main.js', 'import', '--from', registry.url],
      { DATABASE_URL: url },
      checkout,
    );
    return toImport_s(report);
  } finally {
    await registry.stop();
  }
}

/** Writes only what searches read of so many listings; returns the seconds it took. */
export async function loadInto(url: string, listings: number): Promise<number> {
  process.stderr.write(`loading ${listings} listings ... `);
  const report = await runScript(['bench/search/load.ts', url, String(listings)]);
  return Number(/loaded in ([\d.]+) s/.exec(report)?.[1]);
}

/** Makes the SQLite database of a name in the folder, unless an earlier run did. */
async function prepareNamed(
  path: string,
  listings: number,
  fill: (url: string) => Promise<number>,
): Promise<Database> {
  const facts = `${path}.json`;
  if (!existsSync(facts)) {
    removeDatabase(path);
    writeFileSync(facts, JSON.stringify({ import_s: await fill(`file:${path}`) }));
  }
  const { import_s } = JSON.parse(readFileSync(facts, 'utf8')) as { import_s: number };
  return { url: `file:${path}`, listings, import_s, size_mb: sizeOf_mb(path) };
}

/** A SQLite database of so many listings in the folder, imported by an earlier run or now. */
export const prepareSqlite = (folder: string, listings: number, checkout = projectRoot): Promise<Database> =>
  prepareNamed(join(folder, `sqlite-${listings}.db`), listings, (url) => importInto(url, listings, checkout));

/** The same with only what searches read, which is made many times as fast. */
export const prepareSearched = (folder: string, listings: number): Promise<Database> =>
  prepareNamed(join(folder, `search-${listings}.db`), listings, (url) => loadInto(url, listings));
