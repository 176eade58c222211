import { runScript } from '../command.ts';
import { type Database, prepareSqlite } from '../database.ts';
import { memoryOf, toMemoryText } from '../machine.ts';
import { type CheckedRequest, drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { startBenchPostgres } from '../postgres.ts';
import { type ReadTimes, toTimeText } from '../read-times.ts';
import { atMost, type Part, type Row, whole } from '../report.ts';
import { toSearches } from '../search-mix.ts';
import { startService } from '../server.ts';
import type { StoreReads } from '../store-reads.ts';

const searchesPerSecond = 200;

/** Our reads that have a bare one beside them, and how many times as long as it they may take. */
const goals: Readonly<Record<string, { readonly bare: string; readonly most: number }>> = {
  'get: the listing': { bare: 'get, bare', most: 2 },
  'get: everything in get_agent': { bare: 'get, bare', most: 4 },
  'list page': { bare: 'list page, bare', most: 2 },
  'tag page': { bare: 'tag page, bare', most: 2 },
};

function toReadRow(what: string, times: StoreReads['times']): Row {
  const { p50_us, p99_us } = times[what] as ReadTimes;
  const { bare: bareRead = '', most = 0 } = goals[what] ?? {};
  const bare = times[bareRead];
  const times_bare = bare && p50_us / bare.p50_us;
  return {
    what,
    figure: `p50 ${toTimeText(p50_us)}, p99 ${toTimeText(p99_us)}`,
    ...(times_bare !== undefined && {
      share: `${times_bare.toFixed(1)} x`,
      ...atMost(times_bare, most, 'x'),
    }),
  };
}

/** Searches as people make them, over HTTP, at a steady rate. */
async function measureSearch({ url, listings }: Database, seconds: number): Promise<Row[]> {
  const searches = toSearches(2000, listings);
  const service = await startService(url);
  let at = 0;
  const next = (): CheckedRequest => {
    const { kind, words } = searches[at++ % searches.length] ?? { kind: 'server', words: ['server'] };
    const body = JSON.stringify({ query: words.join(' ') });
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path: '/api/tools/search_agents', headers, body } as const;
    return { kind, request, isCorrect: (status) => status === 200 };
  };
  try {
    const { all, wrongCount } = await drivePaced(service, next, {
      perSecond: searchesPerSecond,
      seconds,
    });
    const figure = `p50 ${all.p50_ms.toFixed(1)} ms, p99 ${all.p99_ms.toFixed(1)} ms, ${wrongCount} wrong`;
    return [
      {
        what: `search over HTTP, ${searchesPerSecond} a second, every check on`,
        figure,
        ...atMost(all.p99_ms, 50, 'ms at p99'),
      },
      { what: 'memory of the service after it', figure: toMemoryText(memoryOf(service.pid)) },
    ];
  } finally {
    await service.stop();
  }
}

async function measureDatabase(engine: string, database: Database, { rounds, seconds }: Plan): Promise<Part> {
  const { url, listings, import_s, size_mb } = database;
  const args = ['bench/store-reads.ts', url, listings, rounds, seconds / 4].map(String);
  const { times } = JSON.parse(await runScript(args)) as StoreReads;
  return {
    title: `Store, ${engine}, ${whole(listings)} listings; times of the bare prepared statement`,
    rows: [
      { what: 'import when it was made', figure: `${import_s} s, ${whole(listings / import_s)} rows/s` },
      { what: 'database on disk', figure: `${whole(size_mb)} MB` },
      ...Object.keys(times).map((what) => toReadRow(what, times)),
      ...(await measureSearch(database, rounds * seconds)),
    ],
  };
}

/**
 * Goals 3 and 7 on SQLite: reads of the store, uncached and warm, beside bare ones, and searches over HTTP.
 */
export const measureSqlite = async (plan: Plan): Promise<Part> =>
  measureDatabase('SQLite', await prepareSqlite(plan.folder, plan.listings), plan);

/** The same on PostgreSQL, which runs on the load's core. */
export async function measurePostgres(plan: Plan): Promise<Part> {
  const server = await startBenchPostgres(plan.folder);
  try {
    return await measureDatabase('PostgreSQL', await server.prepare(plan.listings), plan);
  } finally {
    await server.stop();
  }
}
