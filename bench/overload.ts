import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from './command.ts';
import { prepareSqlite } from './database.ts';
import { memoryOf, onCore, pinTo, toMemoryText } from './machine.ts';
import { type AttackName, attacks } from './overload/attacks.ts';
import { runBodies } from './overload/bodies.ts';
import { runStrangers } from './overload/strangers/run.ts';
import { type CheckedRequest, drivePaced, type Paced } from './paced.ts';
import { atMost, type Part, type Row, whole } from './report.ts';
import { saveTable, toDatedTable } from './saved-tables.ts';
import { type Server, startService } from './server.ts';
import { toHandles } from './synthetic.ts';
import { createUserMix } from './user-mix.ts';

const goodNetworks = 200;
const perSecond = 50;
/**
 * Where the well-behaved come from: a proxy that the service trusts, on another address than the attackers'.
 */
const proxy = '127.0.0.2';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    listings: { type: 'string', default: '9000' },
    attack: { type: 'string', multiple: true, default: ['searches'] },
    only: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'dossier-bench') },
    save: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const listings = Number(values.listings);

/** Reads as users make them, each from the next of 200 networks. */
function createGoodMix(): () => CheckedRequest {
  const mixed = createUserMix({ handles: toHandles(listings, 5000), capabilities: [''], listings });
  let sent = 0;
  const next = (): CheckedRequest => {
    const { kind, request, ...rest } = mixed();
    if (kind.startsWith('submit')) return next();
    const headers = { ...request.headers, 'x-forwarded-for': `10.${sent++ % goodNetworks}.0.1` };
    return { kind, request: { ...request, headers }, ...rest };
  };
  return next;
}

/**
 * Attacks for a while from a process of its own, which yields the load's core to the well-behaved; what it
 * was answered.
 */
function startAttack({ url }: Server, name: string): Promise<string> {
  const script = ['bench/overload/attacker.ts', url, name, String(seconds + 2)];
  const [program = '', ...words] = ['nice', '-n', '10', ...onCore('load'), process.execPath, ...script];
  const attacker = spawn(program, words, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  return text(attacker.stdout);
}

const toRow = (what: string, { all, wrongCount }: Paced): Row => ({
  what,
  figure: `p50 ${all.p50_ms.toFixed(1)} p99 ${all.p99_ms.toFixed(1)} ms, ${wrongCount} of ${whole(all.count)} refused`,
});

async function measure(server: Server, name: AttackName): Promise<Part> {
  const load = { perSecond, seconds, localAddress: proxy };
  const next = createGoodMix();
  await drivePaced(server, next, { ...load, seconds: 5 });
  const quiet = await drivePaced(server, next, load);
  const memory = memoryOf(server.pid);
  const attacked = startAttack(server, name);
  await wait(1500);
  const under = await drivePaced(server, next, load);
  const memoryUnder = memoryOf(server.pid);
  const answers = await attacked;
  for (const one of under.wrong) process.stderr.write(`${one}\n`);
  const ratio = under.all.p99_ms / quiet.all.p99_ms;
  const isMet = ratio <= 3 && under.wrongCount === 0;
  return {
    title: `Overload, ${whole(listings)} listings: ${attacks[name].title}`,
    rows: [
      toRow(`well-behaved, ${perSecond}/s from ${goodNetworks} networks, quiet`, quiet),
      {
        ...toRow('under attack', under),
        share: `${ratio.toFixed(1)} x quiet`,
        ...atMost(ratio, 3, 'x quiet, 0 refused'),
        isMet,
      },
      { what: 'answers to the attackers', figure: answers },
      { what: 'memory before, and at the end', figure: [memory, memoryUnder].map(toMemoryText).join('; ') },
    ],
  };
}

async function overload(name: AttackName): Promise<Part> {
  const { url } = await prepareSqlite(values.folder, listings);
  const environment = {
    LIMITS: 'on',
    TRUSTED_PROXIES: attacks[name].networks.length > 0 ? '127.0.0.0/8' : proxy,
  };
  const service = await startService(url, { environment });
  try {
    return await measure(service, name);
  } finally {
    await service.stop();
  }
}

// Usage: npm run lab overload -- [--seconds 30] [--attack searches|networks|connections|strangers|bodies]
// [--only NAME]. Limits are on: they are what is measured.
pinTo('load');
const parts: Part[] = [];
for (const name of values.attack)
  if (name === 'strangers') parts.push(await runStrangers(values.folder, seconds, values.only));
  else if (name === 'bodies') parts.push(await runBodies(values.folder, values.only));
  else parts.push(await overload(name as AttackName));
const table = toDatedTable(parts, `${values.seconds} s each`);
process.stdout.write(table);
if (values.save) saveTable('overload', table);
