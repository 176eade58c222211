import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/postgres-server.ts';
import { pinTo } from './machine.ts';
import { type CheckedRequest, drivePaced, driveSaturated, type Paced } from './paced.ts';
import { atMost, type Row, whole } from './report.ts';
import { saveTable, toDatedTable } from './saved-tables.ts';
import { type Server, startService } from './server.ts';
import { hold, toHeldRow } from './soak/held.ts';
import { prepare } from './soak/prepare.ts';
import { type Stops, watchStops } from './soak/stops.ts';

const share = 0.6;
const saturation_s = 20;
/** Memory grows by no more than this from the middle to the end where it is flat. */
const flat = 1.1;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'per-second': { type: 'string' },
    listings: { type: 'string', default: '60000' },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
    save: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.minutes) * 60;
const listings = Number(values.listings);

const toRow = (what: string, { count, p50_ms, p99_ms }: Paced['all']): Row => ({
  what,
  figure: `${whole(count)} answers, p50 ${p50_ms.toFixed(1)} p99 ${p99_ms.toFixed(1)} ms`,
});

const toStopsRow = (what: string, { stops, longestStop_ms }: Stops): Row => ({
  what: `stops above 100 ms (/healthz, asked every 20 ms), ${what}`,
  figure: `${whole(stops)}, the longest ${longestStop_ms.toFixed(0)} ms`,
  ...atMost(stops, 0),
});

/** Half of the load, and whether the service stopped meanwhile. */
async function driveHalf(server: Server, next: () => CheckedRequest, perSecond: number) {
  const stopping = new AbortController();
  const stops = watchStops(server.url, stopping.signal);
  const paced = await drivePaced(server, next, { perSecond, seconds: seconds / 2 });
  stopping.abort();
  return { ...paced, ...(await stops) };
}

/** The load in its two halves, and what the service held before, between and after them. */
async function drive(server: Server, next: () => CheckedRequest, perSecond: number) {
  const start = await hold(server.pid, inspectorPort);
  const first = await driveHalf(server, next, perSecond);
  const middle = await hold(server.pid, inspectorPort);
  const second = await driveHalf(server, next, perSecond);
  return { first, second, start, middle, end: await hold(server.pid, inspectorPort) };
}

async function soak(
  server: Server,
  next: () => CheckedRequest,
): Promise<{ rows: Row[]; wrong: readonly string[] }> {
  const saturation = values['per-second'] ? undefined : await driveSaturated(server, next, saturation_s);
  const perSecond = saturation === undefined ? Number(values['per-second']) : saturation * share;
  const { first, second, start, middle, end } = await drive(server, next, perSecond);
  const wrongCount = first.wrongCount + second.wrongCount;
  const growth = end.resident_mb / middle.resident_mb;
  const grown_mb = ((end.live_mb - middle.live_mb) * 7200) / seconds;
  return {
    wrong: [...first.wrong, ...second.wrong],
    rows: [
      ...(saturation ? [{ what: 'saturation, 32 clients', figure: `${whole(saturation)}/s` }] : []),
      toRow(`${values.minutes} min at ${whole(perSecond)}/s, first half`, first.all),
      toRow('second half', second.all),
      ...Object.entries(second.kinds).map(([kind, answered]) => toRow(kind, answered)),
      { what: 'wrong answers', figure: String(wrongCount), ...atMost(wrongCount, 0) },
      toHeldRow('memory at the start', start),
      toHeldRow('in the middle', middle),
      {
        ...toHeldRow('at the end', end),
        share: `${growth.toFixed(2)} x`,
        ...atMost(growth, flat, 'x the middle'),
      },
      { what: 'peak of resident memory', figure: `${end.peak_mb.toFixed(0)} MB` },
      {
        what: 'growth of live JavaScript from the middle to the end',
        figure: `${grown_mb.toFixed(1)} MB an hour`,
        ...atMost(grown_mb, 1, 'MB an hour'),
      },
      toStopsRow('first half', first),
      toStopsRow('second half', second),
    ],
  };
}

// Usage: npm run lab soak -- [--minutes 10] [--per-second N]. The mix that users make, at 60 % of what the
// service can answer of it.
pinTo('load');
const { url, next } = await prepare(values.folder, listings);
const inspectorPort = await freePort();
const service = await startService(url, { nodeFlags: [`--inspect=127.0.0.1:${inspectorPort}`] });
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
