import { copyFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { claimListings } from './claims.ts';
import { prepareSqlite, removeDatabase } from './database.ts';
import { type Memory, memoryOf, pinTo, toMemoryText } from './machine.ts';
import { type CheckedRequest, drivePaced, driveSaturated, type Paced } from './paced.ts';
import { saveTable, toDatedTable } from './readme-tables.ts';
import { atMost, type Row, whole } from './report.ts';
import { type Server, startService } from './server.ts';
import { toHandles } from './synthetic.ts';
import { createUserMix } from './user-mix.ts';

const share = 0.6;
const sources = 64;
const saturation_s = 20;
/** Memory grows by no more than this from the middle to the end where it is flat. */
const flat = 1.1;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    listings: { type: 'string', default: '60000' },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
    save: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const listings = Number(values.listings);

/** A database of its own with claimed listings, as it is after some use. */
async function prepare(): Promise<{ url: string; next: () => CheckedRequest }> {
  mkdirSync(values.folder, { recursive: true });
  const prepared = await prepareSqlite(values.folder, listings);
  const path = join(values.folder, 'soak.db');
  removeDatabase(path);
  copyFileSync(prepared.url.slice('file:'.length), path);
  const handles = toHandles(listings, 5000);
  const capabilities = await claimListings(`file:${path}`, handles.slice(0, sources));
  return { url: `file:${path}`, next: createUserMix({ handles, capabilities, listings }) };
}

const toRow = (what: string, { count, p50_ms, p99_ms }: Paced['all']): Row => ({
  what,
  figure: `${whole(count)} answers, p50 ${p50_ms.toFixed(1)} p99 ${p99_ms.toFixed(1)} ms`,
});

async function soak(
  server: Server,
  next: () => CheckedRequest,
): Promise<{ rows: Row[]; wrong: readonly string[] }> {
  const saturation = await driveSaturated(server, next, saturation_s);
  const perSecond = saturation * share;
  const samples: Memory[] = [memoryOf(server.pid)];
  const half = { perSecond, seconds: seconds / 2 };
  const first = await drivePaced(server, next, half);
  samples.push(memoryOf(server.pid));
  const second = await drivePaced(server, next, half);
  samples.push(memoryOf(server.pid));
  const [start, middle, end] = samples as [Memory, Memory, Memory];
  const wrongCount = first.wrongCount + second.wrongCount;
  const growth = end.resident_mb / middle.resident_mb;
  return {
    wrong: [...first.wrong, ...second.wrong],
    rows: [
      { what: 'saturation, 32 clients', figure: `${whole(saturation)}/s` },
      toRow(`${values.minutes} min at ${whole(perSecond)}/s, first half`, first.all),
      toRow('second half', second.all),
      ...Object.entries(second.kinds).map(([kind, answered]) => toRow(kind, answered)),
      { what: 'wrong answers', figure: String(wrongCount), ...atMost(wrongCount, 0) },
      { what: 'memory at the start', figure: toMemoryText(start) },
      { what: 'in the middle', figure: toMemoryText(middle) },
      {
        what: 'at the end',
        figure: toMemoryText(end),
        share: `${growth.toFixed(2)} x`,
        ...atMost(growth, flat, 'x the middle'),
      },
    ],
  };
}

// Usage: npm run soak -- [--minutes 10]. The mix that users make, at 60 % of what the service can answer of it.
pinTo('load');
const { url, next } = await prepare();
const service = await startService(url);
try {
  const { rows, wrong } = await soak(service, next);
  const title = `Soak, ${whole(listings)} listings: 70 % get_agent, 10 % search, 10 % badge, 8 % pages, 2 % writes`;
  const table = toDatedTable([{ title, rows }], `${values.minutes} min`);
  process.stdout.write(table);
  if (values.save) saveTable('soak', table);
  for (const one of wrong) process.stderr.write(`${one}\n`);
} finally {
  await service.stop();
}
