import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimListings } from '../claims.ts';
import { runScript } from '../command.ts';
import { prepareSqlite, removeDatabase } from '../database.ts';
import { drive, type Figures, type Load } from '../load.ts';
import type { Plan } from '../plan.ts';
import { toRatingRequest } from '../rating-requests.ts';
import { atLeast, type Part, type Row, whole } from '../report.ts';
import { interleave, median } from '../rounds.ts';
import { type Server, startService } from '../server.ts';
import { toHandles } from '../synthetic.ts';

/** Enough that sources and subjects are spread as in use, few enough to be made quickly. */
const listings = 5000;
const sources = 64;

const names = { bare: 'bare commit', one: 'submit_rating, one client', many: 'submit_rating, 32 clients' };

/** Ratings of many listings by many others, none by itself. */
function toLoads(server: Server, capabilities: readonly string[]): readonly Load[] {
  const requests = toHandles(listings, 400)
    .slice(sources * 2)
    .map((handle, at) => toRatingRequest(capabilities[at % capabilities.length] ?? '', handle));
  return [
    { name: names.one, server, requests, connections: 1 },
    { name: names.many, server, requests, connections: 32 },
  ];
}

async function commitBare(file: string, seconds: number) {
  const said = await runScript(['bench/references/bare-commits.ts', file, String(seconds)]);
  const { rate } = JSON.parse(said) as { rate: number };
  return { rate, p50_ms: 1000 / rate, p99_ms: 0, cpu_us: 0 };
}

/** Goal 5: durable ratings over HTTP beside bare durable commits on the same disk, a row each. */
export async function measureWrites({ folder, rounds, seconds }: Plan): Promise<Part> {
  const prepared = await prepareSqlite(folder, listings);
  const [path, bareFile] = [join(folder, 'writes.db'), join(folder, 'bare.db')];
  removeDatabase(path);
  removeDatabase(bareFile);
  copyFileSync(prepared.url.slice('file:'.length), path);
  const url = `file:${path}`;
  const capabilities = await claimListings(url, toHandles(listings, 400).slice(0, sources));
  const service = await startService(url);
  try {
    const loads = new Map(toLoads(service, capabilities).map((load) => [load.name, load]));
    const measured = await interleave(Object.values(names), rounds, (name) => {
      const load = loads.get(name);
      return load ? drive(load, seconds) : commitBare(bareFile, seconds);
    });
    const of = (name: string, figure: keyof Figures) =>
      median((measured.get(name) ?? []).map((round) => round[figure]));
    const bare = of(names.bare, 'rate');
    const toRow = (what: string, goal: number): Row => ({
      what,
      figure: `${whole(of(what, 'rate'))}/s, ${whole(of(what, 'cpu_us'))} us, p50 ${of(what, 'p50_ms')} p99 ${of(what, 'p99_ms')} ms`,
      share: (of(what, 'rate') / bare).toFixed(2),
      ...atLeast(of(what, 'rate') / bare, goal),
    });
    return {
      title: 'Writes, SQLite, synchronous=FULL; share of bare commits of one row',
      rows: [{ what: names.bare, figure: `${whole(bare)}/s` }, toRow(names.one, 0.5), toRow(names.many, 1)],
    };
  } finally {
    await service.stop();
  }
}
