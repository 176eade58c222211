import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { toText, Words } from '../../src/core/words.ts';
import { handle, openBehindProxy, playFaults, playSwitch } from './days.ts';
import { compareFacts } from './facts.ts';
import { install } from './programs.ts';
import { type Server, servers } from './servers.ts';
import { type Running, start } from './start.ts';
import { readTruth, type Truth } from './truth.ts';

interface Known {
  readonly running: Running;
  readonly truth: Truth;
}

const print = (line: string) => void process.stdout.write(`${line}\n`);
const nameOf = ({ package: name, front }: Server) => `\`${name}\`, ${front}`;

/**
 * Starts a server, or the earlier version of it; undefined, with the reason printed, if it does not start
 * here.
 */
async function open(server: Server, name?: string): Promise<Known | undefined> {
  try {
    const running = await start(server, name);
    const truth = await readTruth(running).catch(async (error: unknown) => {
      await running.close();
      throw error;
    });
    return { running, truth };
  } catch (error) {
    print(`- ${nameOf(server)}, does not start here: ${String(error).split('\n')[0]}`);
    return undefined;
  }
}

/** Checks each server once, and compares what is stored and said with what clients of the SDK see. */
async function compareAll(tried: readonly Server[]): Promise<void> {
  const sum = { servers: 0, checked: 0, wrong: 0 };
  for (const server of tried) {
    const known = await open(server);
    if (!known) continue;
    const { running, truth } = known;
    const { directory, url, close } = await openBehindProxy(running);
    const { observations = [] } = (await directory.store.observations.ofListing(handle)) ?? {};
    const reach = observations.find(({ kind }) => kind === 'endpoint.answers');
    const { checked, wrong } = await compareFacts(directory, url, truth);
    await close();
    await running.close();
    if (running.methods?.().includes('tools/call')) throw new Error('a tool was called');
    const why = toText(new Words(reach?.why ?? []));
    if (reach?.outcome === 'not_asked' || why.includes('robots.txt')) {
      print(`- ${nameOf(server)} ${running.version}: not asked: ${why}`);
      continue;
    }
    sum.servers += 1;
    sum.checked += checked;
    sum.wrong += wrong.length;
    const revision = truth.protocol ?? 'HTTP with SSE';
    print(
      `- ${nameOf(server)} ${running.version}: ${revision}, ${truth.tools.length} tools, ${checked - wrong.length} of ${checked} facts right`,
    );
    for (const one of wrong) print(`  - ${JSON.stringify(one).slice(0, 600)}`);
  }
  print(`\n${sum.servers} servers: ${sum.checked - sum.wrong} of ${sum.checked} facts right.\n`);
}

const told = { truly: 0, all: 0 };

function count(what: string, wrong: readonly string[]): void {
  told.all += 1;
  if (wrong.length === 0) told.truly += 1;
  print(`- ${what}: ${wrong.length === 0 ? 'told truly' : 'not told truly'}`);
  for (const one of wrong) print(`  - ${one.replaceAll('\n', ' / ').slice(0, 600)}`);
}

/** Puts the newer version of each server behind the address of the older one. */
async function compareVersions(tried: readonly Server[]): Promise<void> {
  for (const server of tried) {
    if (!server.older) continue;
    const older = await open(server, server.older);
    const newer = await open(server);
    if (older && newer) {
      const versions = `${older.running.version} to ${newer.running.version}`;
      const to = { to: newer.running, truth: newer.truth };
      count(`${nameOf(server)}, ${versions}`, await playSwitch(older, to));
      count(
        `${nameOf(server)}, ${versions}, after a day of HTTP 503`,
        await playSwitch(older, { ...to, meanwhile: '503' }),
      );
    }
    await older?.running.close();
    await newer?.running.close();
  }
}

const find = (name: string, front?: Server['front']) =>
  servers.find((one) => one.package.endsWith(name) && (front === undefined || one.front === front));

/** Puts a server of another kind, era or transport behind the address of one. */
async function compareSwitches(): Promise<void> {
  const asked = {
    stateless: find('server-filesystem'),
    newest: find('server-memory'),
    other: find('server-gitlab'),
    stream: find('@executeautomation/playwright-mcp-server'),
  };
  const filesystem = asked.stateless;
  if (!filesystem || !asked.newest || !asked.other || !asked.stream) return;
  const [first, newest, other, sessions, both, stream] = await Promise.all([
    open(filesystem),
    open(asked.newest),
    open(asked.other),
    open({ ...filesystem, front: 'supergateway, sessions' }),
    open({ ...filesystem, front: 'mcp-proxy' }),
    open(asked.stream),
  ]);
  const memoryOlder = await open({ ...asked.newest, front: 'sdk 1' });
  const pairs: readonly (readonly [string, Known | undefined, Known | undefined])[] = [
    ['another server at the address', first, other],
    ['the same server asks for sessions', first, sessions],
    ['the same server asks for sessions no more', sessions, first],
    ['the same server speaks 2026-07-28, too', first, both],
    ['the same server speaks the older era only', newest, memoryOlder],
    // It opens its event stream at /mcp, too.
    ['a server that speaks HTTP with SSE only', first, stream],
  ];
  for (const [what, from, to] of pairs)
    if (from && to) count(what, await playSwitch(from, { to: to.running, truth: to.truth }));
  for (const [era, known] of [
    ['2025-11-25', first],
    ['2026-07-28', newest],
  ] as const)
    if (known)
      for (const [fault, wrong] of await playFaults(known.running, known.truth))
        count(`${fault}, in front of a server of ${era}`, wrong);
  for (const one of [first, newest, other, sessions, both, stream, memoryOlder]) await one?.running.close();
}

/**
 * Checks servers again beside busy processors, and says how many of these healthy servers were said not to
 * answer.
 */
async function checkAgain(tried: readonly Server[], times: number): Promise<void> {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  let made = 0;
  let missed = 0;
  for (const server of tried) {
    const known = made < times ? await open(server) : undefined;
    if (!known) continue;
    const { check, close } = await openBehindProxy(known.running);
    for (let left = Math.ceil(times / tried.length); left > 0; left -= 1) {
      const { outcome, isMissed } = await check();
      made += 1;
      if (outcome !== 'seen' || isMissed) missed += 1;
    }
    await close();
    await known.running.close();
  }
  for (const one of busy) one.kill();
  print(`${made} more checks beside ${busy.length} busy processors: ${missed} without an answer.`);
}

// Usage: npm run lab eval:servers [-- --only facts|versions|days] [--server NAME] [--times N]. It installs
// and starts the servers.
const { values } = parseArgs({
  options: { only: { type: 'string' }, server: { type: 'string', default: '' }, times: { type: 'string' } },
});
const { only, server: part, times } = values;
install();
const tried = servers.filter((server) => nameOf(server).includes(part));
if (only === undefined || only === 'facts') await compareAll(tried);
if (only === undefined || only === 'versions') await compareVersions(tried);
if (only === undefined || only === 'days') await compareSwitches();
if (told.all > 0) print(`\n${told.truly} of ${told.all} faults and switches told truly.`);
if (times !== undefined) await checkAgain(tried, Number(times));
process.exit(0);
