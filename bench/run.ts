import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machineLine, pinTo } from './machine.ts';
import { measureImport } from './parts/import.ts';
import { measureMcp } from './parts/mcp.ts';
import { measurePages } from './parts/pages.ts';
import { measureProfiles } from './parts/profile.ts';
import { measureStart } from './parts/start.ts';
import { measurePostgres, measureSqlite } from './parts/store.ts';
import { measureWrites } from './parts/writes.ts';
import type { Plan } from './plan.ts';
import { type Part, toTable } from './report.ts';

/** Every part with goals; without a name all of them are run. */
const parts: Readonly<Record<string, (plan: Plan) => Promise<Part>>> = {
  mcp: measureMcp,
  pages: measurePages,
  store: measureSqlite,
  postgres: measurePostgres,
  import: measureImport,
  writes: measureWrites,
  start: measureStart,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    listings: { type: 'string', default: '60000' },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
  },
});
const isProfile = positionals[0] === 'profile';
const plan: Plan = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  listings: Number(values.listings),
  folder: values.folder,
  names: isProfile ? positionals.slice(1) : [],
};

/** Runs what the arguments name and answers its parts in that order. */
async function measureNamed(): Promise<Part[]> {
  if (isProfile) return measureProfiles(plan);
  const measured: Part[] = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
    const measure = parts[name];
    if (!measure) throw new Error(`no part ${name}; there are ${Object.keys(parts).join(', ')} and profile`);
    process.stderr.write(`${name}: `);
    measured.push(await measure(plan));
  }
  return measured;
}

mkdirSync(plan.folder, { recursive: true });
pinTo('load');
const table = toTable(await measureNamed());
process.stdout.write(`\n${machineLine()}; ${plan.rounds} rounds of ${plan.seconds} s, medians\n\n${table}\n`);
