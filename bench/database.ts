import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../src/server.ts';

/** A database to serve from. */
export interface Database {
  readonly url: string;
  /** Handles of it, in handle order. */
  readonly handles: readonly string[];
}

const asked = 1000;

/** A SQLite database in the folder with the sample's listings, imported by the command line where it is missing. */
export async function prepareDatabase(folder: string): Promise<Database> {
  const path = join(folder, 'sample.db');
  const url = `file:${path}`;
  if (!existsSync(path))
    execFileSync(process.execPath, ['src/main.ts', 'import', '--from', 'data/sample.json'], {
      env: { ...process.env, DATABASE_URL: url },
      stdio: 'ignore',
    });
  const store = await openStore(url);
  const handles = (await store.listings.page('', asked)).map(({ handle }) => handle);
  await store.close();
  return { url, handles };
}
