import { join } from 'node:path';
import { runScript } from '../command.ts';
import { removeDatabase } from '../database.ts';
import { drive, type Figures, type Load } from '../load.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import { prepareRated } from '../rated-database.ts';
import { atLeast, type Part, type Row, whole } from '../report.ts';
import { interleave } from '../rounds.ts';
import { startService } from '../server.ts';

const names = { bare: 'bare commit', one: 'submit_rating, one client', many: 'submit_rating, 32 clients' };

async function commitBare(file: string, seconds: number): Promise<Figures> {
  const output = await runScript(['bench/references/bare-commits.ts', file, String(seconds)]);
  const { rate } = JSON.parse(output) as { rate: number };
  return { rate, p50_ms: 1000 / rate, p99_ms: 0, cpu_us: 0 };
}

function toPart(measured: ReadonlyMap<string, readonly Figures[]>): Part {
  const of = (name: string, figure: keyof Figures) =>
    median((measured.get(name) ?? []).map((round) => round[figure]));
  const bare = of(names.bare, 'rate');
  const toRow = (what: string, goal: number): Row => ({
    what,
    figure: `${whole(of(what, 'rate'))}/s, ${whole(of(what, 'cpu_us'))} us, p50 ${of(what, 'p50_ms').toFixed(1)} p99 ${of(what, 'p99_ms').toFixed(1)} ms`,
    share: (of(what, 'rate') / bare).toFixed(2),
    ...atLeast(of(what, 'rate') / bare, goal),
  });
  return {
    title: 'Writes, SQLite, synchronous=FULL; share of bare commits of one row, by rate',
    rows: [{ what: names.bare, figure: `${whole(bare)}/s` }, toRow(names.one, 0.5), toRow(names.many, 1)],
  };
}

/** Goal 5: durable ratings over HTTP beside bare durable commits on the same disk, a row each. */
export async function measureWrites({ folder, rounds, seconds }: Plan): Promise<Part> {
  const bareFile = join(folder, 'bare.db');
  removeDatabase(bareFile);
  const { url, requests } = await prepareRated(folder);
  const server = await startService(url);
  try {
    const loads: readonly Load[] = [
      { name: names.one, server, requests, connections: 1 },
      { name: names.many, server, requests, connections: 32 },
    ];
    return toPart(
      await interleave(Object.values(names), rounds, (name) => {
        const load = loads.find((one) => one.name === name);
        return load ? drive(load, seconds) : commitBare(bareFile, seconds);
      }),
    );
  } finally {
    await server.stop();
  }
}
