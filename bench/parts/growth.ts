import { runScript } from '../command.ts';
import { type Database, prepareSqlite } from '../database.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import { atMost, type Part, type Row, whole } from '../report.ts';
import { interleave } from '../rounds.ts';
import type { StoreReads } from '../store-reads.ts';

const few = 5000;
/** A logarithm and some noise stay below this, for twelve times the listings as for two hundred times. */
const mostGrowth = 2;
const reads = [
  'get: everything in get_agent',
  'list page',
  'tag page',
  'search: rare word',
  'search: server',
];

async function read({ url, listings }: Database, seconds: number): Promise<StoreReads> {
  const args = ['bench/store-reads.ts', url, listings, 1, seconds / 4].map(String);
  return JSON.parse(await runScript([...args, ...reads])) as StoreReads;
}

const own_mb = ({ memory }: StoreReads) => memory.resident_mb - memory.files_mb;

/**
 * Goal 7: how much longer reads take, and how much more memory they need, where there are many more listings.
 */
export async function measureGrowth({ folder, listings, rounds, seconds }: Plan): Promise<Part> {
  const databases = { few: await prepareSqlite(folder, few), many: await prepareSqlite(folder, listings) };
  const measured = await interleave(['few', 'many'] as const, rounds, (name) =>
    read(databases[name], seconds),
  );
  const of = (name: 'few' | 'many', value: (reads: StoreReads) => number) =>
    median((measured.get(name) ?? []).map(value));
  const toRow = (what: string, unit: string, value: (reads: StoreReads) => number): Row => {
    const before = of('few', value);
    const after = of('many', value);
    return {
      what,
      figure: `${before.toFixed(0)} to ${after.toFixed(0)} ${unit}`,
      share: `${(after / before).toFixed(1)} x`,
      ...atMost(after / before, mostGrowth, 'x'),
    };
  };
  return {
    title: `Growth, SQLite, from ${whole(few)} to ${whole(listings)} listings`,
    rows: [
      ...reads.map((name) => toRow(`${name}, p50`, 'us', ({ times }) => times[name]?.p50_us ?? 0)),
      toRow('memory but for mapped files', 'MB', own_mb),
    ],
  };
}
