import { runScript } from '../command.ts';
import { type Database, prepareSearched } from '../database.ts';
import { cpuTime_ms, memoryOf, toMemoryText } from '../machine.ts';
import { drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { startBenchPostgres } from '../postgres.ts';
import { type ReadTimes, toTimeText } from '../read-times.ts';
import { atMost, type Part, type Row, whole } from '../report.ts';
import { toRequests } from '../search/requests.ts';
import { type Server, startService } from '../server.ts';

const searchesPerSecond = 200;
const warm_s = 3;
const bare = 'a row by its key, bare';
/** What the median of each class may take. */
const most_ms = { sqlite: 5, postgres: 10 } as const;

function toReadRow(times: Readonly<Record<string, ReadTimes>>, what: string, goal_ms: number): Row {
  const { p50_us = 0, p99_us = 0, cpu_us = 0 } = times[what] ?? {};
  const figure = `p50 ${toTimeText(p50_us)}, p99 ${toTimeText(p99_us)}, processor ${toTimeText(cpu_us)}`;
  if (what === bare) return { what, figure };
  const times_bare = p50_us / (times[bare]?.p50_us ?? 1);
  return {
    what,
    figure,
    share: `${times_bare.toFixed(0)} x`,
    ...atMost(p50_us / 1000, goal_ms, 'ms at p50'),
  };
}

async function drive(service: Server, listings: number, seconds: number): Promise<Row[]> {
  const next = toRequests(listings);
  const load = { perSecond: searchesPerSecond, seconds };
  await drivePaced(service, next, { ...load, seconds: warm_s });
  const rows: Row[] = [{ what: 'memory before', figure: toMemoryText(memoryOf(service.pid)) }];
  for (const half of ['first', 'second']) {
    const cpuBefore_ms = cpuTime_ms(service.pid) ?? 0;
    const { all, wrongCount } = await drivePaced(service, next, load);
    const cpu_us = (((cpuTime_ms(service.pid) ?? 0) - cpuBefore_ms) / all.count) * 1000;
    rows.push(
      {
        what: `${searchesPerSecond} searches a second over HTTP, every check on, ${half} half`,
        figure: `p50 ${all.p50_ms.toFixed(1)} ms, p99 ${all.p99_ms.toFixed(1)} ms, processor ${toTimeText(cpu_us)}, ${wrongCount} wrong`,
        ...atMost(all.p99_ms, 50, 'ms at p99'),
      },
      { what: 'memory after it', figure: toMemoryText(memoryOf(service.pid)) },
    );
  }
  return rows;
}

async function measureDatabase({ url, listings, import_s }: Database, plan: Plan): Promise<Part> {
  const { engine, rounds, seconds } = plan;
  const args = ['bench/search/reads.ts', url, listings, rounds, seconds / 2].map(String);
  const times = JSON.parse(await runScript(args)) as Record<string, ReadTimes>;
  const service = await startService(url);
  try {
    const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    return {
      title: `Search with its counts, ${name}, ${whole(listings)} listings; times of a row read by its key`,
      rows: [
        { what: 'loaded when it was made', figure: `${import_s} s, ${whole(listings / import_s)} rows/s` },
        ...Object.keys(times).map((what) => toReadRow(times, what, most_ms[engine])),
        ...(await drive(service, listings, rounds * seconds)),
      ],
    };
  } finally {
    await service.stop();
  }
}

/** Searches by their class: uncached in one process, then over HTTP at a steady rate, on either engine. */
export async function measureSearch(plan: Plan): Promise<Part> {
  const { engine, folder, listings } = plan;
  if (engine === 'sqlite') return measureDatabase(await prepareSearched(folder, listings), plan);
  const server = await startBenchPostgres(folder);
  try {
    return await measureDatabase(await server.prepareSearched(listings), plan);
  } finally {
    await server.stop();
  }
}
