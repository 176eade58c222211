import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientKinds, connect } from '../test/support/mcp-clients.ts';
import { freePort } from '../test/support/postgres-server.ts';
import { type Cluster, openCluster } from './soak/cluster.ts';

// Usage: npm run lab try:nginx -- [--nginx /usr/sbin/nginx]. The worked example of docs/operations.md, on
// loopback.
const { values } = parseArgs({ options: { nginx: { type: 'string', default: '/usr/sbin/nginx' } } });
const quiet_s = 35;

/** The example, with local addresses, without TLS, and with folders that any user may write to. */
function toLocal(port: number, [first, second]: readonly string[]): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return readFileSync(new URL('../docs/examples/nginx.conf', import.meta.url), 'utf8')
    .replaceAll('10.0.0.11:3000', first ?? '')
    .replaceAll('10.0.0.12:3000', second ?? '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replace('server_name dossier.example;', 'server_name 127.0.0.1;')
    .replace(/^ *ssl_certificate.*\n/gm, '')
    .replace('events {', 'pid nginx.pid; daemon off; error_log error.log;\nevents {')
    .replace(
      'http {',
      `http {\n  access_log off;\n${temporary.map((name) => `  ${name}_temp_path ${name};\n`).join('')}`,
    );
}

async function startNginx(port: number, nodes: readonly string[]): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-nginx-'));
  mkdirSync(join(folder, 'logs'));
  writeFileSync(join(folder, 'nginx.conf'), toLocal(port, nodes));
  const child: ChildProcess = spawn(values.nginx, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  await wait(500);
  return async () => {
    child.kill('SIGTERM');
    await ended;
    const lines = readFileSync(join(folder, 'error.log'), 'utf8').matchAll(/: \*\d+ (.*?)(?=,| while)/g);
    const kinds = Object.entries(Object.groupBy(lines, ([, kind = '']) => kind));
    for (const [kind, all] of kinds) process.stdout.write(`nginx: ${all?.length}x ${kind}\n`);
    rmSync(folder, { recursive: true });
  };
}

let failed = 0;
function report(what: string, holds: boolean, figure = ''): void {
  if (!holds) failed += 1;
  process.stdout.write(`${holds ? 'holds' : 'FAILS'}  ${what}${figure && `: ${figure}`}\n`);
}

async function tryPages(url: string, handle: string): Promise<void> {
  for (const path of ['/', '/agents', `/agents/${handle}`, `/badge/${handle}`, '/llms.txt', '/readyz']) {
    const answer = await fetch(url + path);
    const text = await answer.text();
    const strange = [...text.matchAll(/https?:\/\/127\.0\.0\.1:\d+/g)].filter(([base]) => base !== url);
    report(
      `GET ${path}`,
      answer.status === 200 && strange.length === 0,
      `${answer.status}, links lead to ${url}`,
    );
  }
}

async function tryClients(url: string, handle: string): Promise<void> {
  for (const kind of clientKinds) {
    const client = await connect(kind, { url });
    const tools = await client.tools();
    const { structuredContent } = await client.call('get_agent', { handle });
    report(
      `MCP client ${kind}`,
      structuredContent?.handle === handle,
      `${tools.length} tools, get_agent answers`,
    );
    await client.close();
  }
}

async function tryForgedAddress(url: string): Promise<void> {
  const statuses = new Set<number>();
  for (let at = 0; at < 130; at++)
    statuses.add((await fetch(`${url}/tags`, { headers: { 'x-forwarded-for': `198.51.100.${at}` } })).status);
  report('a forged X-Forwarded-For is ignored', statuses.has(429), [...statuses].join(' and '));
}

/** Counts the outcomes of requests while `work` runs. */
async function during(url: string, work: () => Promise<unknown>): Promise<string> {
  const counts: Record<string, number> = {};
  let ended = false;
  const send = async (init?: RequestInit) => {
    const path = init ? '/api/tools/list_tags' : '/healthz';
    const status = await fetch(url + path, init).then(
      (answer) => answer.text().then(() => answer.status),
      () => 'no answer',
    );
    const key = `${init ? 'POST' : 'GET'} ${status}`;
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const loop = async (init?: RequestInit) => {
    while (!ended) {
      await send(init);
      await wait(5);
    }
  };
  const loops = [loop(), loop(), loop(post), loop(post)];
  await work();
  ended = true;
  await Promise.all(loops);
  return Object.entries(counts)
    .sort()
    .map(([what, count]) => `${what} ${count}x`)
    .join(', ');
}

async function rate(cluster: Cluster, url: string, handle: string): Promise<number> {
  const answer = await fetch(`${url}/api/tools/submit_rating`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${cluster.capabilities[0]}` },
    body: JSON.stringify({
      handle,
      interaction_id: crypto.randomUUID(),
      interaction_at: new Date().toISOString(),
      outcome: 'succeeded',
      protocol: 'mcp',
      relationship: 'none',
    }),
  });
  return answer.status;
}

async function trySubscription(cluster: Cluster, url: string, handle: string): Promise<void> {
  const client = new Client(
    { name: 'try', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/api/mcp`)));
  let heard = 0;
  client.setNotificationHandler('notifications/resources/updated', () => void heard++);
  const hears = async (more: number) => {
    for (let tries = 0; heard < more && tries < 100; tries++) await wait(50);
    return heard >= more;
  };
  const filter = { resourceSubscriptions: [`agent://${handle}`] };
  let subscription = await client.listen(filter);
  await wait(quiet_s * 1000);
  for (const node of cluster.nodes) {
    const before = heard;
    await rate(cluster, node.url, handle);
    report(`a subscription that was quiet for ${quiet_s} s receives a write`, await hears(before + 1));
  }
  // Each node is replaced in turn: the stream ends with its node and is opened again at the other.
  let endings: string[] = [];
  for (const node of cluster.nodes) {
    void subscription.closed.then((how) => endings.push(how));
    const counts = await during(url, () => node.stop());
    report('requests while a node is stopped (SIGTERM)', !/ [45]\d\d |no answer/.test(counts), counts);
    await wait(200);
    if (endings.length > 0) subscription = await client.listen(filter);
    const before = heard;
    await rate(cluster, url, handle);
    report(
      `the subscription (${endings[0] ?? 'on the other node'}) receives the next write`,
      await hears(before + 1),
    );
    endings = [];
    const back = await during(url, () => node.start());
    report('requests while it starts again', !/ [45]\d\d |no answer/.test(back), back);
    await wait(2500);
  }
  const counts = await during(url, async () => {
    await wait(300);
    await cluster.nodes[0]?.kill();
    await wait(2000);
  });
  report('requests while a node is killed (-9)', !/GET ([45]\d\d |no answer)/.test(counts), counts);
  await client.close();
}

const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const environment = {
  PUBLIC_URL: url,
  TRUSTED_PROXIES: '127.0.0.1',
  LIMITS: 'on',
  LIMIT_OVERRIDES: 'pages=30/1m,mcp=99999/1s',
};
const cluster = await openCluster({ size: 2, sources: 1, environment });
const addresses = cluster.nodes.map((node) => new URL(node.url).host);
const stopNginx = await startNginx(port, addresses);
try {
  await Promise.all(cluster.nodes.map((node) => node.start()));
  const handle = cluster.handles[1] ?? '';
  await tryPages(url, handle);
  await tryClients(url, handle);
  await trySubscription(cluster, url, handle);
  await cluster.nodes[0]?.start();
  await tryForgedAddress(url);
} finally {
  await stopNginx();
  await cluster.close();
}
process.exitCode = failed > 0 ? 1 : 0;
