import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepareSqlite } from './database.ts';
import type { Plan } from './plan.ts';
import { type Server, startService } from './server.ts';

type Start = () => Promise<Server>;

/**
 * What starts this service and those of the other checkouts of `--before`, named by their folders, each on a
 * database that it imported itself.
 */
export async function toServices({
  folder,
  listings,
  before,
}: Plan): Promise<{ readonly service: Start; readonly [name: string]: Start }> {
  const { url } = await prepareSqlite(folder, listings);
  const services = { service: () => startService(url) };
  const others: Record<string, Start> = {};
  for (const checkout of before) {
    const name = `before: ${basename(checkout)}`;
    if (others[name]) throw new Error(`two checkouts of --before have the folder name ${basename(checkout)}`);
    const path = join(folder, `before-${basename(checkout)}`);
    mkdirSync(path, { recursive: true });
    const old = await prepareSqlite(path, listings, checkout);
    others[name] = () => startService(old.url, { name, checkout });
  }
  return { ...others, ...services };
}
