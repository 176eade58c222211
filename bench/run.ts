import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accept, against } from './accepted.ts';
import { pinTo } from './machine.ts';
import { measureApi } from './parts/api.ts';
import { measureDumps } from './parts/dump.ts';
import { measureGrowth } from './parts/growth.ts';
import { measureImport } from './parts/import.ts';
import { measureMcp } from './parts/mcp.ts';
import { measureMemory } from './parts/memory.ts';
import { measureObserver } from './parts/observer.ts';
import { measurePages } from './parts/pages.ts';
import { profiles } from './parts/profile.ts';
import { measureReceipts } from './parts/receipts.ts';
import { measureSearch } from './parts/search.ts';
import { measureStart } from './parts/start.ts';
import { measurePostgres, measureSqlite } from './parts/store.ts';
import { measureUncached } from './parts/uncached.ts';
import { measureWrites } from './parts/writes.ts';
import type { Plan } from './plan.ts';
import type { Part } from './report.ts';
import { saveTable, toDatedTable } from './saved-tables.ts';

/** Every part with goals; without a name all of them are run. */
const parts: Readonly<Record<string, (plan: Plan) => Promise<Part>>> = {
  mcp: measureMcp,
  pages: measurePages,
  uncached: measureUncached,
  api: measureApi,
  dump: measureDumps,
  store: measureSqlite,
  postgres: measurePostgres,
  search: measureSearch,
  memory: measureMemory,
  growth: measureGrowth,
  import: measureImport,
  writes: measureWrites,
  receipts: measureReceipts,
  start: measureStart,
  observer: measureObserver,
};

const usualListings = '60000';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    listings: { type: 'string', default: usualListings },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
    engine: { type: 'string', default: 'sqlite' },
    before: { type: 'string', multiple: true, default: [] },
    save: { type: 'boolean', default: false },
    against: { type: 'string' },
    accept: { type: 'string' },
  },
});

/** The number that an option names. Throws if it is none above 0, or has a fraction that it may not have. */
function toNumber(option: 'rounds' | 'seconds' | 'listings'): number {
  const number = Number(values[option]);
  if (number > 0 && Number.isFinite(number) && (option === 'seconds' || Number.isInteger(number)))
    return number;
  throw new Error(`--${option} ${values[option]}: a ${option === 'seconds' ? '' : 'whole '}number above 0`);
}

const plan: Plan = {
  rounds: toNumber('rounds'),
  seconds: toNumber('seconds'),
  listings: toNumber('listings'),
  folder: values.folder,
  engine: values.engine === 'postgres' ? 'postgres' : 'sqlite',
  before: values.before,
};
const suffix = [
  values.engine === 'sqlite' ? '' : ` on ${values.engine}`,
  values.listings === usualListings ? '' : ` of ${values.listings}`,
].join('');

/**
 * Measures one part and prints its table, with `--against` beside accepted values; `--save` writes it into
 * .bench.
 */
async function show(name: string, measure: (plan: Plan) => Promise<Part>): Promise<void> {
  process.stderr.write(`${name}: `);
  const part = await measure(plan);
  const key = `${name}${suffix}`;
  const rows = values.against === undefined ? part.rows : against(values.against, key, part.rows);
  const table = toDatedTable([{ ...part, rows }], `${plan.rounds} rounds of ${plan.seconds} s, medians`);
  process.stdout.write(`\n${table}`);
  if (values.save) saveTable(key, table);
  if (values.accept !== undefined) accept(values.accept, key, part.rows);
}

function find<T>(named: Readonly<Record<string, T>>, name: string): T {
  const found = named[name];
  if (!found) throw new Error(`unknown part ${name}; the parts are ${Object.keys(named).join(', ')}`);
  return found;
}

// Usage: npm run lab bench -- [part ...] or profile [what ...], with the options above.
mkdirSync(plan.folder, { recursive: true });
pinTo('load');
const [first, ...profiled] = positionals;
if (first === 'profile') {
  for (const name of profiled.length > 0 ? profiled : Object.keys(profiles))
    await show(`profile ${name}`, find(profiles, name));
} else {
  for (const name of positionals.length > 0 ? positionals : Object.keys(parts))
    await show(name, find(parts, name));
}
