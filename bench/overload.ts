import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { prepareSqlite } from './database.ts';
import { pinTo } from './machine.ts';
import { type CheckedRequest, drivePaced, type Paced } from './paced.ts';
import { saveTable, toDatedTable } from './readme-tables.ts';
import { atMost, type Row, whole } from './report.ts';
import { type Server, startService } from './server.ts';
import { toHandles } from './synthetic.ts';
import { createUserMix } from './user-mix.ts';

const attackers = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '100.64.0.1'];
const slowConnections = 1000;
const goodNetworks = 200;
const perSecond = 50;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    listings: { type: 'string', default: '9000' },
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

/** Searches for ten frequent words that no listing has together, the most expensive ones, each from the next attacker. */
const attacks: autocannon.Request[] = Array.from({ length: 400 }, (_, n) => ({
  method: 'POST',
  path: '/api/tools/search_agents',
  headers: {
    'content-type': 'application/json',
    'x-forwarded-for': attackers[n % attackers.length] ?? '',
  },
  body: JSON.stringify({ query: `server data api tools search agent file web code -mcp ${n}` }),
}));

/** Searches as fast as they are answered; how many answers had each status. */
async function attack({ url }: Server): Promise<string> {
  const { statusCodeStats = {} } = await autocannon({
    url,
    connections: 64,
    duration: seconds + 2,
    workers: 1,
    requests: attacks,
  });
  return Object.entries(statusCodeStats)
    .map(([status, { count = 0 }]) => `${whole(count)} x ${status}`)
    .join(', ');
}

/** Opens connections that send a header a second and never end it, each again when it is closed; returns what ends them. */
function openSlow({ url }: Server): () => void {
  const { hostname, port } = new URL(url);
  let ended = false;
  const sockets = new Set<ReturnType<typeof connect>>();
  const open = () => {
    if (ended) return;
    const socket = connect(Number(port), hostname, () =>
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n'),
    );
    const drip = setInterval(() => socket.write('X-Slow: 1\r\n'), 1000);
    socket.on('error', () => undefined).on('data', () => undefined);
    socket.once('close', () => {
      clearInterval(drip);
      sockets.delete(socket);
      setTimeout(open, 100);
    });
    sockets.add(socket);
  };
  for (let count = 0; count < slowConnections; count++) open();
  return () => {
    ended = true;
    for (const socket of sockets) socket.destroy();
  };
}

const toRow = (what: string, { all, wrongCount }: Paced): Row => ({
  what,
  figure: `p50 ${all.p50_ms.toFixed(1)} p99 ${all.p99_ms.toFixed(1)} ms, ${wrongCount} of ${whole(all.count)} refused`,
});

async function measure(server: Server): Promise<Row[]> {
  const load = { perSecond, seconds };
  const next = createGoodMix();
  await drivePaced(server, next, { perSecond, seconds: 5 });
  const quiet = await drivePaced(server, next, load);
  const closeSlow = openSlow(server);
  const attacked = attack(server);
  await wait(1000);
  const under = await drivePaced(server, next, load);
  const answers = await attacked;
  closeSlow();
  const ratio = under.all.p99_ms / quiet.all.p99_ms;
  return [
    toRow(`well-behaved, ${perSecond}/s from ${goodNetworks} networks, quiet`, quiet),
    { ...toRow('under attack', under), share: `${ratio.toFixed(1)} x quiet`, ...atMost(ratio, 3, 'x quiet') },
    { what: 'answers to the attackers', figure: answers },
  ];
}

// Usage: npm run overload -- [--seconds 30]. Limits are on: they are what is measured.
pinTo('load');
const { url } = await prepareSqlite(values.folder, listings);
const service = await startService(url, { environment: { LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1' } });
try {
  const title = `Overload, ${whole(listings)} listings: four networks search at full rate, ${whole(slowConnections)} slow connections`;
  const table = toDatedTable([{ title, rows: await measure(service) }], `${values.seconds} s each`);
  process.stdout.write(table);
  if (values.save) saveTable('overload', table);
} finally {
  await service.stop();
}
