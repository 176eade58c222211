import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { registryEntry } from '../../test/support/entries.ts';
import { runScript } from '../command.ts';
import { removeDatabase } from '../database.ts';

const hosts = 200;
const hostOf = (at: number) => `host-${at % hosts}.bench.example`;

/** The handle of a made-up listing with an endpoint. */
export const toHandle = (at: number): string => `com.example.host-${at % hosts}/listing-${at}`;

/** The path of its endpoint. */
export const toPath = (at: number): string => `/mcp/${at}`;

/** Its endpoint, as its record has it. */
export const toRemote = (at: number) => ({
  type: 'streamable-http' as const,
  url: `http://${hostOf(at)}${toPath(at)}`,
});

/** HOST_OVERRIDES: all host names are one server. */
export const toOverrides = (url: string): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: hosts }, (_, at) => [hostOf(at), url])));

/**
 * Makes a new database of so many listings, whose endpoints are on 200 hosts, as a checkout imports it;
 * returns its URL.
 */
export async function makeObserved(folder: string, listings: number, checkout?: string): Promise<string> {
  const entries = Array.from({ length: listings }, (_, at) =>
    registryEntry(toHandle(at), { remotes: [toRemote(at)] }),
  );
  const copy = join(folder, 'observed.json');
  writeFileSync(copy, JSON.stringify(entries));
  const path = join(folder, 'observed.db');
  removeDatabase(path);
  await runScript(['src/main.js', 'import', '--from', copy], { DATABASE_URL: `file:${path}` }, checkout);
  return `file:${path}`;
}
