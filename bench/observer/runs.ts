import { DatabaseSync } from 'node:sqlite';
import { openContext } from '../../src/app/server.ts';
import { readConfig } from '../../src/config/config.ts';
import { createApp } from '../../src/http/app.ts';
import { createObserver } from '../../src/observations/observer.ts';
import { observeDue } from '../../src/observations/schedule.ts';
import { toHandle, toOverrides, toPath } from './listings.ts';

/** What a run of this script prints. */
export interface RunCosts {
  readonly first_bytes: number;
  readonly again_bytes: number;
  readonly changed_to_page_ms: number;
}

const day_ms = 86_400_000;
const changes = 20;

/** Bytes of the pages in use of a database. */
function usedBytes(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  const read = (pragma: string) => Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
  const used = (read('page_count') - read('freelist_count')) * read('page_size');
  database.close();
  return used;
}

// Usage: node bench/observer/runs.ts <database url> <listings> <url of the endpoints>. Bytes that a first run
// and a run that saw nothing new add to a database, and the time from a change at an endpoint to the page,
// when it is checked at once.
const [url = '', listings = '0', endpoints = ''] = process.argv.slice(2);
const opened = await openContext(
  readConfig(
    {
      DATABASE_URL: url,
      REGISTRY_URL: 'off',
      LOG_LEVEL: 'silent',
      LIMITS: 'off',
      PACKAGE_REGISTRIES: '{}',
      HOST_OVERRIDES: toOverrides(endpoints),
    },
    'bench',
  ),
  'make',
);
let ahead_ms = 0;
const context = { ...opened, clock: () => new Date(Date.now() + ahead_ms) };
const app = createApp(context);
const observer = createObserver(context);
const path = url.slice('file:'.length);
const { signal } = new AbortController();

/** Bytes that one pass adds for each listing. */
async function passBytes(): Promise<number> {
  const before = usedBytes(path);
  const { observed } = await observeDue(observer, context, { signal });
  ahead_ms += 2 * day_ms;
  if (observed !== Number(listings)) throw new Error(`only ${observed} listings were due`);
  return (usedBytes(path) - before) / observed;
}

async function changeToPage_ms(at: number): Promise<number> {
  const handle = toHandle(at);
  const page = async () => (await app.request(`/agents/${handle}.json`)).text();
  const before = await page();
  const listing = await context.store.listings.byHandle(handle);
  if (!listing) throw new Error(`${handle} is not listed`);
  await fetch(endpoints + toPath(at), { method: 'PUT' });
  const started = performance.now();
  await observer.observe(listing);
  if ((await page()) === before) throw new Error('the page does not show the change');
  return performance.now() - started;
}

const first_bytes = await passBytes();
const again_bytes = await passBytes();
const times_ms: number[] = [];
for (let at = 0; at < changes; at++) times_ms.push(await changeToPage_ms(at));
const changed_to_page_ms = times_ms.toSorted((a, b) => a - b)[changes / 2] ?? 0;
const result: RunCosts = { first_bytes, again_bytes, changed_to_page_ms };
process.stdout.write(JSON.stringify(result));
await observer.close();
await app.close();
await context.store.close();
