import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot, runScript } from '../../command.ts';
import { removeDatabase } from '../../database.ts';
import { memoryOf, onCore } from '../../machine.ts';
import { drivePaced } from '../../paced.ts';
import { type Part, type Row, whole } from '../../report.ts';
import { type Server, startServer, startService } from '../../server.ts';
import { allPublishers, attacks, type StrangersAttack } from './attacks.ts';
import { createCallers } from './callers.ts';
import { changing } from './changing.ts';
import { healthyHandles, readAllFacts, startHealthy, toFalseFacts } from './healthy.ts';
import { toOverrides } from './hostile.ts';
import { startNameServer } from './names.ts';
import { toChangedRegistry, toRegistry } from './registry.ts';
import { watchSilence } from './silence.ts';

const perSecond = 20;
const most_s = 0.25;
/** After it nothing is waited for: a service that answers nobody is ended. */
const patience_s = 60;

/**
 * What a run of all attacks shares: the hostile hosts, the database that each begins with, the settings of
 * the service.
 */
interface Scene {
  readonly hosts: Server;
  readonly folder: string;
  readonly seconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes the database that each attack gets a copy of. */
async function prepare(folder: string, hosts: Server): Promise<void> {
  const registry = toRegistry();
  const copy = join(folder, 'registry.json');
  writeFileSync(copy, JSON.stringify(registry));
  writeFileSync(join(folder, 'changed.json'), JSON.stringify(toChangedRegistry(registry)));
  removeDatabase(join(folder, 'before.db'));
  const url = `file:${join(folder, 'before.db')}`;
  process.stderr.write('importing ... ');
  await runScript(['src/main.js', 'import', '--from', copy], { DATABASE_URL: url });
  process.stderr.write('observing ... ');
  const overrides = JSON.stringify(toOverrides(changing, hosts.url));
  await runScript(['bench/overload/strangers/observe.ts', url, overrides]);
}

function startAttacker(name: string, ...args: readonly string[]) {
  const script = ['bench/overload/strangers/attacker.ts', name, ...args];
  const [program = '', ...words] = [...onCore('load'), process.execPath, ...script];
  const child = spawn(program, words, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  const printed = createInterface(child.stdout)[Symbol.asyncIterator]();
  const nextLine = async () => String((await printed.next()).value ?? 'it ended');
  return {
    /** Its next line, or none after the patience of a run. */
    nextLine: () => Promise.race([nextLine(), wait(patience_s * 1000, 'it did not end', { ref: false })]),
    async stop() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Reads the listings of healthy publishers, one a second, which has them checked. */
async function readHealthy(url: string): Promise<void> {
  for (const [at, handle] of healthyHandles.entries()) {
    await fetch(`${url}/api/tools/get_agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${at}` },
      body: JSON.stringify({ handle }),
      signal: AbortSignal.timeout(patience_s * 1000),
    }).catch(() => undefined);
    await wait(1000);
  }
}

/** Waits until each has facts, or for the patience of a run. */
async function untilFacts(url: string, isOver: () => boolean) {
  const until = performance.now() + patience_s * 1000;
  let facts = await readAllFacts(url);
  while (facts.some(({ size }) => size === 0) && performance.now() < until && !isOver()) {
    await wait(500);
    facts = await readAllFacts(url);
  }
  return facts;
}

/** How many requests the hostile hosts had. */
const readAsked = async ({ url }: Server) => Number(await (await fetch(url)).text());

/** The service as `npm start` starts it, over a copy of the database; what it did under an attack. */
async function attack(name: string, { hosts, folder, seconds, environment }: Scene) {
  const path = join(folder, 'attacked.db');
  removeDatabase(path);
  copyFileSync(join(folder, 'before.db'), path);
  let ended = false;
  let output = '';
  const service = await startService(`file:${path}`, {
    environment,
    onOutput: (printed) => {
      output += printed.match(/the thread that checks listings has ended/g)?.join('') ?? '';
    },
    onEnd: () => {
      ended = true;
    },
  });
  const callers = createCallers();
  const askedBefore = await readAsked(hosts);
  const overdue = setTimeout(() => process.kill(service.pid, 'SIGKILL'), (seconds + 2 * patience_s) * 1000);
  const stopping = new AbortController();
  const silence = watchSilence(service, stopping.signal);
  const attacker = startAttacker(name, service.url, `file:${path}`, String(seconds));
  await attacker.nextLine();
  const [paced, said] = await Promise.all([
    drivePaced(service, callers.next, { perSecond, seconds }),
    attacker.nextLine(),
    readHealthy(service.url),
  ]);
  const facts = await untilFacts(service.url, () => ended);
  const { peak_mb } = memoryOf(service.pid);
  stopping.abort();
  const died = ended;
  const before_ms = performance.now();
  await service.stop();
  const stop_s = (performance.now() - before_ms) / 1000;
  clearTimeout(overdue);
  await attacker.stop();
  return {
    ...(await silence),
    paced,
    facts,
    peak_mb,
    stop_s,
    deaths: Number(died),
    threadDeaths: output.split('the thread').length - 1,
    refused: callers.refused(),
    asked: (await readAsked(hosts)) - askedBefore,
    said,
  };
}

type Outcome = Awaited<ReturnType<typeof attack>>;

function toRows({ title }: StrangersAttack, outcome: Outcome, right: ReadonlyMap<string, string>): Row[] {
  const { longest, most, paced, facts, deaths, threadDeaths, refused, asked, peak_mb, stop_s, said } =
    outcome;
  const wrong = toFalseFacts(facts, right);
  for (const one of [...wrong, ...paced.wrong]) process.stderr.write(`${title}: ${one}\n`);
  const checked = facts.filter(({ size }) => size > 0).length;
  return [
    {
      what: title,
      figure: [
        `silent ${longest.silent_s.toFixed(2)} s, running ${most.running_s.toFixed(2)} s`,
        `${deaths} deaths, ${threadDeaths} of the observer`,
        `${refused} of ${whole(paced.all.count)} refused, ${paced.wrongCount - refused} unanswered`,
        `${wrong.length} false facts, ${checked} of ${facts.length} healthy checked`,
      ].join('; '),
      share: [
        `p99 ${whole(paced.all.p99_ms)} ms, peak ${whole(peak_mb)} MB, stop ${stop_s.toFixed(1)} s`,
        said,
        asked > 0 && `${whole(asked)} requests to hostile hosts`,
      ]
        .filter(Boolean)
        .join('; '),
      goal: `0 deaths, refused and false, running <= ${most_s} s`,
      isMet: deaths + refused + wrong.length === 0 && most.running_s <= most_s,
    },
  ];
}

/**
 * Every attack, or one of them after none, on a service of its own with limits on, beside forty callers and
 * five healthy publishers.
 */
export async function runStrangers(folder: string, seconds: number, only?: string): Promise<Part> {
  if (only !== undefined && !attacks[only])
    throw new Error(`--only is one of ${Object.keys(attacks).join(', ')}`);
  const own = join(folder, 'strangers');
  mkdirSync(own, { recursive: true });
  const hosts = await startServer({
    name: 'hosts',
    script: 'bench/overload/strangers/hosts.ts',
    core: 'load',
  });
  const names = await startNameServer();
  const healthy = await startHealthy();
  const overrides = { ...toOverrides(allPublishers, hosts.url), ...healthy.overrides };
  const environment = {
    LIMITS: 'on',
    OBSERVE: 'asked',
    TRUSTED_PROXIES: '127.0.0.0/8',
    PACKAGE_REGISTRIES: '{}',
    DNS_SERVERS: names.address,
    HOST_OVERRIDES: JSON.stringify(overrides),
  };
  try {
    await prepare(own, hosts);
    const rows: Row[] = [];
    let right: ReadonlyMap<string, string> = new Map();
    for (const name of only === undefined ? Object.keys(attacks) : ['none', only]) {
      process.stderr.write(`${name} ... `);
      const outcome = await attack(name, { hosts, folder: own, seconds, environment });
      if (name === 'none') right = outcome.facts[0] ?? right;
      rows.push(...toRows(attacks[name] as StrangersAttack, outcome, right));
    }
    return { title: 'Strangers, beside forty callers and five healthy publishers', rows };
  } finally {
    await hosts.stop();
    await names.close();
    await healthy.close();
  }
}
