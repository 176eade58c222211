import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { prepareSqlite } from './database.ts';
import type { Plan } from './plan.ts';
import { type Server, startService } from './server.ts';

type Start = () => Promise<Server>;

/** Starts this service and, with `--before`, that of the other checkout, each on a database that it imported itself. */
export async function toServices({
  folder,
  listings,
  before,
}: Plan): Promise<{ readonly service: Start; readonly before?: Start | undefined }> {
  const { url } = await prepareSqlite(folder, listings);
  const service = () => startService(url);
  if (before === undefined) return { service };
  const path = join(folder, 'before');
  mkdirSync(path, { recursive: true });
  const old = await prepareSqlite(path, listings, before);
  return { service, before: () => startService(old.url, { name: 'before', checkout: before }) };
}
