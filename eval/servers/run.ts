import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kinds } from '../../src/observations/kinds.ts';
import type { StoredObservation } from '../../src/observations/observation.ts';
import { type Question, questions } from '../../src/observations/observation.ts';
import { createObserver } from '../../src/observations/observer.ts';
import { openDirectory } from '../../test/support/directory.ts';
import { registryEntry } from '../../test/support/entries.ts';
import { type Bridged, bridge, findProgram, type Line } from './bridge.ts';
import { stdioServers } from './servers.ts';

const { values } = parseArgs({ options: { times: { type: 'string', default: '0' } } });
const times = Number(values.times);
const folder = join(import.meta.dirname, 'npm');
const everything = '@modelcontextprotocol/server-everything';
const everythingPort = '19401';

/** A server that runs: how it is reached, what came over the wire, how it is ended. */
interface Running {
  readonly package: string;
  readonly version: string;
  readonly transport: Line | 'its own HTTP';
  readonly url: string;
  readonly methods?: () => string[];
  close(): Promise<void>;
}

function install(): void {
  if (existsSync(join(folder, 'node_modules'))) return;
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  if (spawnSync('npm', args, { cwd: folder, stdio: 'inherit' }).status !== 0)
    throw new Error('the servers could not be installed');
}

/** The reference server over its own streamable HTTP. */
async function startEverything(): Promise<Running> {
  const { program, version } = findProgram({ package: everything });
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: everythingPort },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${everythingPort}`;
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break;
    await wait(100);
  }
  const close = async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  };
  return { package: everything, version, transport: 'its own HTTP', url, close };
}

const toRunning = (name: string, line: Line, { endpoint, version, close }: Bridged): Running => ({
  ...{ package: name, version, transport: line, url: endpoint.url },
  methods: () => endpoint.methods(),
  close,
});

/** Starts every server, alternately behind either line of the SDK; those that do not start are named with the reason. */
async function startAll(): Promise<{ running: Running[]; failed: string[] }> {
  const running = [await startEverything()];
  const failed: string[] = [];
  for (const [at, server] of stdioServers.entries()) {
    const line = at % 2 === 0 ? 'sdk 1' : 'sdk 2';
    try {
      running.push(toRunning(server.package, line, await bridge(server, line)));
    } catch (error) {
      failed.push(`\`${server.package}\`: ${String(error).split('\n')[0]}`);
    }
  }
  return { running, failed };
}

const hostOf = (at: number) => `server-${at}.example.com`;
const toHandle = (at: number) => `com.example.server-${at}/mcp`;

const asked = questions.filter((question) => kinds.some((kind) => kind.question === question && kind.check));

function toCell(question: Question, observations: readonly StoredObservation[]): string {
  const names = new Set<string>(kinds.filter((kind) => kind.question === question).map(({ kind }) => kind));
  const found = observations.filter(({ kind }) => names.has(kind));
  const observedValue = (name: string) =>
    found.find(({ kind, outcome }) => kind === name && outcome === 'seen')?.value;
  const value = observedValue('endpoint.protocol') ?? observedValue('tools.count');
  const states = [...new Set(found.map(({ outcome }) => outcome))].join(', ');
  return value === undefined ? states : `${value}: ${states}`;
}

/** Checks every server once, which gives the rows of the table, then all of them again. */
async function observeAll(running: readonly Running[]) {
  const directory = await openDirectory({
    entries: running.map(({ package: identifier, version }, at) =>
      registryEntry(toHandle(at), {
        remotes: [{ type: 'streamable-http', url: `http://${hostOf(at)}/mcp` }],
        packages: [{ registryType: 'npm', identifier, version, transport: { type: 'stdio' } }],
      }),
    ),
    environment: {
      DATABASE_URL: ':memory:',
      HOST_OVERRIDES: JSON.stringify(Object.fromEntries(running.map(({ url }, at) => [hostOf(at), url]))),
    },
  });
  const observer = createObserver(directory.context);
  const rows: string[] = [];
  for (const [at, one] of running.entries()) {
    const listing = await directory.store.listings.byHandle(toHandle(at));
    if (!listing) throw new Error(`${one.package} was not imported`);
    const { observations } = await observer.observe(listing);
    const cells = asked.map((question) => toCell(question, observations));
    rows.push(`| \`${one.package}\` ${one.version} | ${one.transport} | ${cells.join(' | ')} |`);
  }
  const again = await checkAgain(async (at) => {
    directory.wait(3600 / running.length);
    const listing = await directory.store.listings.byHandle(toHandle(at));
    return listing ? (await observer.observe(listing)).observations : [];
  }, running.length);
  await observer.close();
  await directory.close();
  return { rows, again };
}

/** Checks the servers in turn beside busy processors, and says how many of these healthy servers were said not to answer. */
async function checkAgain(
  check: (at: number) => Promise<readonly StoredObservation[]>,
  servers: number,
): Promise<string> {
  const busy = Array.from({ length: times > 0 ? availableParallelism() : 0 }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const count = { missed: 0, down: 0 };
  for (let made = 0; made < times; made += 1) {
    const found = (await check(made % servers)).filter(({ kind }) => kind === 'endpoint.answers');
    if (found.some(({ missed, outcome }) => missed || outcome !== 'seen')) count.missed += 1;
    if (found.some(({ outcome }) => /^(?:silent|otherwise|absent)$/.test(outcome))) count.down += 1;
  }
  for (const one of busy) one.kill();
  return `${times} more checks beside ${busy.length} busy processors: ${count.missed} without an answer, ${count.down} times a server was said not to answer.`;
}

/** Methods that came over the wire, with how often; the run fails if a tool was called. */
function countMethods(running: readonly Running[]): string {
  const methods = running.flatMap(({ methods }) => methods?.() ?? []);
  if (methods.includes('tools/call')) throw new Error('a tool was called');
  const counts = Map.groupBy(methods, (method) => method);
  return [...counts].map(([method, all]) => `${method} ${all.length}`).join(', ');
}

// Usage: npm run eval:servers [-- --times N]. Installs and starts the servers, checks each once, prints the table; then makes N checks.
install();
const { running, failed } = await startAll();
const { rows, again } = await observeAll(running);
const table = [
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}: ${running.length} servers; methods that came over the wire behind the bridges: ${countMethods(running)}.`,
  '',
  `| server | HTTP | ${asked.join(' | ')} |`,
  `| --- | --- |${' --- |'.repeat(asked.length)}`,
  ...rows,
  '',
  ...(times > 0 ? [again, ''] : []),
  ...(failed.length > 0 ? ['Did not start here:', '', ...failed.map((line) => `* ${line}`), ''] : []),
].join('\n');
process.stdout.write(table);
for (const one of running) await one.close();
process.exit(0);
