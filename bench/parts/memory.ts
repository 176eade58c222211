import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { measureDump } from '../api/dump.ts';
import { claimListings } from '../claims.ts';
import { runScript } from '../command.ts';
import { removeDatabase } from '../database.ts';
import { memoryOf } from '../machine.ts';
import { toOverrides, toRemote } from '../observer/listings.ts';
import { type CheckedRequest, drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { atMost, type Part, type Row, whole } from '../report.ts';
import { type Server, startServer, startService } from '../server.ts';
import { createSynthetic, toHandles } from '../synthetic.ts';
import { createUserMix } from '../user-mix.ts';

const sources = 64;
const quiet_s = 60;
const mostAtPeak_mb = 250;
const mostAfter_mb = 200;
const sampleEvery_ms = 50;
const rates = { users: 300, misses: 60 } as const;

/**
 * A database of real-sized listings, each with an endpoint on one of 200 hosts, of which some are claimed;
 * and what users request.
 */
async function prepare({ folder, listings }: Plan) {
  const synthetic = createSynthetic({ listings, allVersions: false, seed: 1 });
  const entries = Array.from({ length: listings }, (_, at) =>
    synthetic
      .entries(at)
      .map((entry) => ({ ...entry, server: { ...entry.server, remotes: [toRemote(at)] } })),
  );
  const copy = join(folder, 'memory.json');
  writeFileSync(copy, JSON.stringify(entries.flat()));
  const path = join(folder, 'memory.db');
  removeDatabase(path);
  await runScript(['src/main.js', 'import', '--from', copy], { DATABASE_URL: `file:${path}` });
  const handles = toHandles(listings, listings);
  const capabilities = await claimListings(`file:${path}`, handles.slice(0, sources));
  return { url: `file:${path}`, handles, users: createUserMix({ handles, capabilities, listings }) };
}

/** Requests of pages that no cache has: each listing once, with a parameter that no page knows. */
function createMisses(handles: readonly string[]): () => CheckedRequest {
  let at = 0;
  return () => ({
    kind: 'miss',
    request: {
      path: `/agents/${handles[at++ % handles.length]}?z=${at}`,
      headers: { 'accept-encoding': 'br' },
    },
    isCorrect: (status) => status === 200,
  });
}

const residentOf = (pid: number) => {
  const { resident_mb, files_mb } = memoryOf(pid);
  return resident_mb - files_mb;
};

/** The most that was resident, without mapped files, while some work was done, beside a goal. */
async function toRow(
  { pid }: Server,
  what: string,
  mostAt_mb: number,
  work: () => Promise<string>,
): Promise<Row> {
  let peak_mb = residentOf(pid);
  const sampling = setInterval(() => {
    peak_mb = Math.max(peak_mb, residentOf(pid));
  }, sampleEvery_ms);
  try {
    const done = await work();
    const figure = `${residentOf(pid).toFixed(0)} MB, at most ${peak_mb.toFixed(0)} MB; ${done}`;
    return { what, figure, ...atMost(Math.round(peak_mb), mostAt_mb, 'MB') };
  } finally {
    clearInterval(sampling);
  }
}

/** Sends requests at a rate; returns how many were answered. Throws if an answer was wrong. */
async function drive(server: Server, next: () => CheckedRequest, perSecond: number, seconds: number) {
  const { all, wrong, wrongCount } = await drivePaced(server, next, { perSecond, seconds });
  if (wrongCount > 0) throw new Error(`${wrongCount} wrong answers: ${wrong[0]}`);
  return `${whole(all.count)} answers`;
}

/**
 * What is measured: requests of users and of pages that are not cached, for how long, and the folder of the
 * backups.
 */
interface Load {
  readonly users: () => CheckedRequest;
  readonly misses: () => CheckedRequest;
  readonly seconds: number;
  readonly backups: string;
}

async function measure(server: Server, { users, misses, seconds: s, backups }: Load) {
  const row = (what: string, work: () => Promise<string>) => toRow(server, what, mostAtPeak_mb, work);
  const later = async (what: string) => {
    await wait(quiet_s * 1000);
    return toRow(server, `${quiet_s} seconds later, ${what}`, mostAfter_mb, async () => 'no requests');
  };
  const dumped = async () => `a dump of ${whole((await measureDump(server)).rows)} listings`;
  return [
    await row('at the start', async () => 'ready'),
    await row(`the mix of users, ${rates.users} a second`, () => drive(server, users, rates.users, s)),
    await row(`pages that are not cached, ${rates.misses} a second`, () =>
      drive(server, misses, rates.misses, s),
    ),
    await row('both at once, and a dump, and a backup every 10 seconds', async () => {
      const work = [drive(server, users, rates.users, s), drive(server, misses, rates.misses, s), dumped()];
      return (await Promise.all(work)).join('; ');
    }),
    await later('a backup every 10 seconds'),
    // Without its folder a backup fails, and is tried again in ten minutes.
    await rm(backups, { recursive: true, maxRetries: 5 }).then(() => later('no backups')),
  ];
}

/**
 * Memory of the service while it observes on loopback and writes backups, under loads that fill its caches.
 */
export async function measureMemory(plan: Plan): Promise<Part> {
  const { folder, listings, seconds } = plan;
  const script = 'bench/references/endpoints.ts';
  const endpoints = await startServer({ name: 'endpoints', script, core: 'load' });
  const { url, handles, users } = await prepare(plan);
  const backups = join(folder, 'memory-backups');
  const environment = {
    OBSERVE: 'on',
    PACKAGE_REGISTRIES: '{}',
    HOST_OVERRIDES: toOverrides(endpoints.url),
    BACKUP_DIR: backups,
    BACKUP_INTERVAL: '10s',
    BACKUP_KEEP: '1',
  };
  const service = await startService(url, { environment });
  try {
    const rows = await measure(service, { users, misses: createMisses(handles), seconds, backups });
    return {
      title: `Memory without mapped files, SQLite, ${whole(listings)} listings, observing all the time`,
      rows,
    };
  } finally {
    await service.stop();
    await endpoints.stop();
  }
}
