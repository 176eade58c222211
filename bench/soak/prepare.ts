import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimListings } from '../claims.ts';
import { prepareSqlite, removeDatabase } from '../database.ts';
import type { CheckedRequest } from '../paced.ts';
import { toHandles } from '../synthetic.ts';
import { createUserMix } from '../user-mix.ts';

const sources = 64;

/** A database of its own with claimed listings, as it is after some use, and the requests of its users. */
export async function prepare(
  folder: string,
  listings: number,
): Promise<{ url: string; next: () => CheckedRequest }> {
  mkdirSync(folder, { recursive: true });
  const prepared = await prepareSqlite(folder, listings);
  const path = join(folder, 'soak.db');
  removeDatabase(path);
  copyFileSync(prepared.url.slice('file:'.length), path);
  const handles = toHandles(listings, 5000);
  const capabilities = await claimListings(`file:${path}`, handles.slice(0, sources));
  return { url: `file:${path}`, next: createUserMix({ handles, capabilities, listings }) };
}
