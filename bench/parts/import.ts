import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runScript } from '../command.ts';
import { type Database, prepareSqlite, removeDatabase } from '../database.ts';
import { toCall, toLegacy } from '../mcp-requests.ts';
import { type CheckedRequest, drivePaced } from '../paced.ts';
import type { Plan } from '../plan.ts';
import { median } from '../quantile.ts';
import { atLeast, atMost, type Part, type Row, whole } from '../report.ts';
import { type RegistryRows, type Server, startRegistry, startService } from '../server.ts';
import { toHandles } from '../synthetic.ts';

/** Runs take seconds each: few rounds are enough. */
const mostRounds = 3;
const readsPerSecond = 200;
/** A service that has just started is slow by itself; an import goes on for longer than this. */
const warm_s = 4;

/** Rows a second, from the report of an import. */
function toRate(report: string): number {
  const [, seconds] = /import: ([\d.]+) s/.exec(report) ?? [];
  const [, rows] = /(?:rows seen +|s, )(\d+)/.exec(report.replace(/, \d+ rows a second/, '')) ?? [];
  if (!seconds || !rows) throw new Error(`not the report of an import: ${report}`);
  return Number(rows) / Number(seconds);
}

/** One new import and one with nothing changed, bare and ours, each into databases of its own. */
async function importOnce(folder: string, registry: Server): Promise<Record<string, number>> {
  const bare = join(folder, 'bare.db');
  const ours = join(folder, 'ours.db');
  removeDatabase(bare);
  removeDatabase(ours);
  const runBare = () => runScript(['bench/references/bare-import.ts', registry.url, bare]);
  // Under another name the same registry has no earlier run, so the import is a full one.
  const runOurs = (url: string) =>
    runScript(['src/main.js', 'import', '--from', url], { DATABASE_URL: `file:${ours}` });
  return {
    bareNew: toRate(await runBare()),
    oursNew: toRate(await runOurs(registry.url)),
    bareSame: toRate(await runBare()),
    oursSame: toRate(await runOurs(registry.url.replace('127.0.0.1', 'localhost'))),
  };
}

async function measureRate(what: string, rows: RegistryRows, { folder, rounds }: Plan): Promise<Row[]> {
  const registry = await startRegistry(rows);
  const measured: Record<string, number>[] = [];
  try {
    for (let round = 0; round < Math.min(rounds, mostRounds); round++)
      measured.push(await importOnce(folder, registry));
  } finally {
    await registry.stop();
  }
  const rate = (name: string) => median(measured.map((round) => round[name] ?? 0));
  const toRow = (kind: string, ours: number, bare: number): Row => ({
    what: `${what}, ${kind}`,
    figure: `${whole(ours)} rows/s; bare ${whole(bare)}`,
    share: (ours / bare).toFixed(2),
    ...atLeast(ours / bare, 0.5),
  });
  return [
    toRow('new', rate('oursNew'), rate('bareNew')),
    toRow('unchanged', rate('oursSame'), rate('bareSame')),
  ];
}

/** A copy of a database whose last import was long ago, so that the next one is due. */
function copyOfOld({ url }: Database, path: string): void {
  removeDatabase(path);
  copyFileSync(url.slice('file:'.length), path);
  const copy = new DatabaseSync(path);
  copy.exec(`update import_run set finished_at = '2026-01-01T00:00:00.000Z'`);
  copy.close();
}

/** Throws unless an import has put more listings into the copy. */
function requireImported({ listings }: Database, path: string): void {
  const copy = new DatabaseSync(path);
  const { count } = copy.prepare('select count(*) as count from listing').get() as { count: number };
  copy.close();
  if (count <= listings) throw new Error('nothing was imported meanwhile');
}

/**
 * The 99th percentile of get_agent at a steady rate, while the service imports from the registry or while it
 * does not.
 */
async function readP99_ms(database: Database, registryUrl: string, seconds: number): Promise<number> {
  const service = await startService(database.url, { environment: { REGISTRY_URL: registryUrl } });
  const handles = toHandles(database.listings, 1000);
  let at = 0;
  const next = (): CheckedRequest => ({
    kind: 'get_agent',
    request: toLegacy('tools/call', toCall(handles[at++ % handles.length] ?? '')),
    isCorrect: (status, text) => status === 200 && !text.includes('"isError":true'),
  });
  try {
    await drivePaced(service, next, { perSecond: readsPerSecond, seconds: warm_s });
    const { all, wrong, wrongCount } = await drivePaced(service, next, {
      perSecond: readsPerSecond,
      seconds,
    });
    if (wrongCount > 0) process.stderr.write(`${wrongCount} wrong: ${wrong.join('; ')}\n`);
    return all.p99_ms;
  } finally {
    await service.stop();
  }
}

async function measureReads({ folder, rounds, seconds, listings }: Plan): Promise<Row> {
  const prepared = await prepareSqlite(folder, listings);
  const path = join(folder, 'busy.db');
  const database = { ...prepared, url: `file:${path}` };
  const registry = await startRegistry({ listings, seed: 2 });
  const ratios: number[] = [];
  const busy: number[] = [];
  try {
    for (let round = 0; round < Math.min(rounds, mostRounds); round++) {
      copyOfOld(prepared, path);
      const quiet_ms = await readP99_ms(database, 'off', seconds * 2);
      busy.push(await readP99_ms(database, registry.url, seconds * 2));
      requireImported(prepared, path);
      ratios.push((busy.at(-1) ?? 0) / quiet_ms);
    }
  } finally {
    await registry.stop();
    removeDatabase(path);
  }
  const ratio = median(ratios);
  return {
    what: `get_agent while the service imports, ${readsPerSecond} a second`,
    figure: `p99 ${median(busy).toFixed(1)} ms`,
    share: `${ratio.toFixed(1)} x quiet`,
    ...atMost(ratio, 1.5, 'x'),
  };
}

/** Goal 4: imports from a registry on loopback beside a bare pipeline, and reads while one runs. */
export async function measureImport(plan: Plan): Promise<Part> {
  const { listings } = plan;
  return {
    title:
      'Import; share of a bare pipeline (fetch, check, upsert, full-text index; a page a durable transaction)',
    rows: [
      ...(await measureRate(`${whole(listings)} listings`, { listings }, plan)),
      ...(await measureRate(
        `${whole(listings / 3)} listings with every version`,
        { listings: Math.round(listings / 3), versions: 'all' },
        plan,
      )),
      await measureReads(plan),
    ],
  };
}
