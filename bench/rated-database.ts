import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimListings } from './claims.ts';
import { prepareSqlite, removeDatabase } from './database.ts';
import type { Sent } from './load.ts';
import { toRatingRequest } from './rating-requests.ts';
import { toHandles } from './synthetic.ts';

/** Enough that sources and subjects are spread as in use, few enough to be made quickly. */
const listings = 5000;
const sampled = 400;
const sources = 64;

/** A database with claimed listings, and ratings of many others by them, none by itself. */
export async function prepareRated(folder: string): Promise<{
  url: string;
  requests: Sent[];
  /** Which capability rates which listing. */
  rated: { capability: string; handle: string }[];
}> {
  const prepared = await prepareSqlite(folder, listings);
  const path = join(folder, 'rated.db');
  removeDatabase(path);
  copyFileSync(prepared.url.slice('file:'.length), path);
  const url = `file:${path}`;
  const handles = toHandles(listings, sampled);
  const capabilities = await claimListings(url, handles.slice(0, sources));
  const rated = handles
    .slice(sources * 2)
    .map((handle, at) => ({ capability: capabilities[at % capabilities.length] ?? '', handle }));
  const requests = rated.map(({ capability, handle }) => toRatingRequest(capability, handle));
  return { url, requests, rated };
}
