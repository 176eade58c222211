import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openDirectory } from '../../test/support/directory.ts';
import { answer } from './answer.ts';
import { clients, type Servers } from './clients.ts';

// Usage: npm run lab try:clients. Clients from npm (1 GB), with a home of their own and no way out but to
// loopback, read what the .mcp.json of a view has in their own files, and start it; ends with 1 where one
// does not list a server, or starts or sends something other than the view says.
const folder = mkdtempSync(join(tmpdir(), 'dossier-clients-'));
const write = (name: string, content: string) => {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
};

const sent: string[] = [];
const endpoint = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end();
  sent.push(String(request.headers['x-key']));
  const answered = answer(await text(request));
  return response.writeHead(answered ? 200 : 202, { 'content-type': 'application/json' }).end(answered);
});
endpoint.listen(0, '127.0.0.1');
await once(endpoint, 'listening');
const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/mcp`;

const npm = {
  registryType: 'npm',
  identifier: '@acme/ledger',
  version: '1.2.3',
  transport: { type: 'stdio' },
};
const fixed = (value: string) => ({ type: 'positional', value });
const asked = [
  { name: 'LEDGER_KEY', isRequired: true },
  { name: 'MODE', value: 'ro' },
];
const records: Readonly<Record<string, object>> = {
  remote: {
    remotes: [
      { type: 'streamable-http', url, headers: [{ name: 'X-Key', isRequired: true, isSecret: true }] },
    ],
  },
  npm: {
    packages: [
      {
        ...npm,
        packageArguments: [fixed('start'), { type: 'named', name: '--mode', default: 'fast' }],
        environmentVariables: asked,
      },
    ],
  },
  elsewhere: { packages: [{ ...npm, registryBaseUrl: 'https://npm.acme.example' }] },
  pypi: {
    packages: [{ ...npm, registryType: 'pypi', identifier: 'ledger', packageArguments: [fixed('serve')] }],
  },
  image: {
    packages: [
      {
        registryType: 'oci',
        identifier: 'ghcr.io/acme/ledger:1.2.3',
        transport: { type: 'stdio' },
        environmentVariables: asked,
      },
    ],
  },
  nuget: {
    packages: [
      { ...npm, registryType: 'nuget', identifier: 'Acme.Ledger', packageArguments: [fixed('mcp')] },
    ],
  },
};
for (const [name, more] of Object.entries(records))
  write(
    `own/${name}.server.json`,
    JSON.stringify({ name: `com.acme.internal/${name}`, description: 'Ledgers.', version: '1.0.0', ...more }),
  );
const key = 'what a reader of the private view sends';
const readers = [`sha256:${createHash('sha256').update(key).digest('hex')}`];
const views = write('views.json', JSON.stringify({ own: { title: 'Own', readers } }));
/**
 * The commands that the view has, by what a shell would be given, with the environment that they are to have.
 */
const env = { LEDGER_KEY: 'YOUR_VALUE', MODE: 'ro' };
const wanted = [
  { command: 'dnx Acme.Ledger --yes -- mcp', env: {} },
  {
    command: 'docker run -i --rm -e MODE=ro -e LEDGER_KEY ghcr.io/acme/ledger:1.2.3',
    env: { LEDGER_KEY: 'YOUR_VALUE' },
  },
  { command: 'npx -y --registry=https://npm.acme.example @acme/ledger', env: {} },
  { command: 'npx -y @acme/ledger start --mode fast', env },
  { command: 'uvx ledger serve', env: {} },
];

const started = join(folder, 'started');
for (const name of ['npx', 'uvx', 'docker', 'dnx']) {
  const stub = fileURLToPath(new URL('./stub.ts', import.meta.url));
  chmodSync(
    write(`bin/${name}`, `#!/bin/sh\nexec '${process.execPath}' '${stub}' '${started}' ${name} "$@"\n`),
    0o755,
  );
}
const nowhere = 'http://127.0.0.1:9';
const environment = {
  PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
  HOME: join(folder, 'home'),
  CLAUDE_CONFIG_DIR: join(folder, 'home/.claude'),
  CODEX_HOME: join(folder, 'home/.codex'),
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  NO_PROXY: '127.0.0.1',
  NO_COLOR: '1',
  TERM: 'dumb',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
};
/** What `mcp list` of a client prints. */
async function list(program: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const options = { cwd: join(folder, 'project'), env: environment, timeout: 120_000 };
  execFile(program, ['mcp', 'list'], options, (_, out, errors) => resolve(out + errors));
  return promise;
}

const failed: string[] = [];
function expectThat(what: string, isSo: boolean, seen: unknown): void {
  process.stdout.write(`${isSo ? 'ok' : 'FAILED'}: ${what}\n`);
  if (!isSo) failed.push(`${what}\n${typeof seen === 'string' ? seen : JSON.stringify(seen, null, 2)}`);
}

// What judges views lets the process end between its batches.
const alive = setInterval(() => undefined, 1000);
const service = await openDirectory({
  entries: [],
  listening: true,
  environment: { VIEWS: views, PRIVATE_LISTINGS: join(folder, 'own') },
});
try {
  const headers = { authorization: `Bearer ${key}` };
  const read = await (await fetch(`${service.url}/views/own/.mcp.json`, { headers })).text();
  const { mcpServers } = JSON.parse(read) as { mcpServers: Servers };
  expectThat('the view has all of the entries', Object.keys(mcpServers).length === 6, mcpServers);
  write('package.json', '{"private": true}');
  const packages = Object.values(clients).map((one) => one.npm);
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  execFileSync('npm', install, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const [client, { npm: name, program, files, isStarting }] of Object.entries(clients)) {
    for (const part of ['home', 'project']) {
      rmSync(join(folder, part), { recursive: true, force: true });
      mkdirSync(join(folder, part, part === 'home' ? '.codex' : '.git'), { recursive: true });
    }
    rmSync(started, { force: true });
    sent.length = 0;
    for (const [path, content] of Object.entries(files(mcpServers, folder))) write(path, content);
    const { version } = JSON.parse(
      readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
    ) as { version: string };
    const listed = await list(join(folder, 'node_modules', program));
    const missing = Object.keys(mcpServers).filter((server) => !listed.includes(server));
    expectThat(`${client} ${version} lists every server`, missing.length === 0, listed);
    if (!isStarting) continue;
    const lines = existsSync(started) ? readFileSync(started, 'utf8').trim().split('\n') : [];
    const seen = [...new Set(lines)].sort().map((line) => JSON.parse(line) as object);
    const isSame = JSON.stringify(seen) === JSON.stringify(wanted);
    expectThat(`${client} starts each command whole, with its environment`, isSame, seen);
    const isSent = sent.length > 0 && sent.every((one) => one === 'YOUR_VALUE');
    expectThat(`${client} asks the endpoint with the header`, isSent, sent);
  }
} finally {
  clearInterval(alive);
  await service.close();
  endpoint.close();
  endpoint.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
for (const one of failed) process.stdout.write(`${one}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
