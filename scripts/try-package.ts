import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';

// Usage: npm run lab try:package [-- --node 24]. Packs the project, installs it in an empty folder, and runs
// it there as its users would, with every command of the README; on another Node from npm if one is named.
const { values: options } = parseArgs({ options: { node: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'dossier-package-'));
const { PATH = '' } = process.env;
const environment = { ...process.env };
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, {
    cwd,
    env: environment,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
const bytesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
const toMegabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

if (options.node) {
  const other = join(folder, 'node');
  const node = `node-${process.platform}-${process.arch}`;
  run('npm', ['install', '--silent', '--no-audit', '--prefix', other, `${node}@${options.node}`]);
  environment.PATH = `${join(other, 'node_modules', node, 'bin')}:${PATH}`;
}

/** A program that uses the client; it compiles only if the package has its types. */
const clientUser = `import { createClient } from 'dossier/client';
const dossier = createClient({ url: process.argv[2] ?? '' });
const { listings } = await dossier.call('search_agents', { query: 'webhook' });
const handle: string = listings[0]?.handle ?? 'none';
// @ts-expect-error: types say that a query is a text
const wrong = () => dossier.call('search_agents', { query: 5 });
console.log(handle, (await dossier.listing(handle)).state, typeof wrong);
`;
const compilerOptions = [
  '--strict',
  '--target',
  'es2024',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--skipLibCheck',
  'false',
  '--typeRoots',
  resolve('node_modules/@types'),
  'ask.ts',
];

const packed =
  run('npm', ['pack', '--silent', '--pack-destination', folder], '.').trim().split('\n').at(-1) ?? '';
writeFileSync(join(folder, 'package.json'), '{"name": "empty", "private": true, "type": "module"}');
const begun_ms = performance.now();
run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, packed)]);
const seconds = ((performance.now() - begun_ms) / 1000).toFixed(0);
const sizes = [statSync(join(folder, packed)).size, bytesIn(join(folder, 'node_modules'))].map(toMegabytes);
process.stdout.write(
  `Node ${run('node', ['--version']).trim()}: ${packed}, ${sizes[0]}, installed in ${seconds} s with all that it needs, ${sizes[1]}; dossier --version: ${run('npx', ['dossier', '--version'])}`,
);

writeFileSync(
  join(folder, 'receipt.mjs'),
  `import { createReceiptKey, createReceipts, parseReceiptKeys, verifyReceipt } from 'dossier/receipt';
const { key, line } = await createReceiptKey('2026-11');
const receipt = await createReceipts({ handle: 'com.example/quotes', kid: '2026-11', key }).issue('com.rater/api');
const expected = { keys: parseReceiptKeys(line), subject: 'com.example/quotes', rater: 'com.rater/api' };
console.log('dossier/receipt: a receipt for ' + (await verifyReceipt(receipt, expected)).sub);`,
);
process.stdout.write(run('node', ['receipt.mjs']));

const service = spawn(join(folder, 'node_modules/.bin/dossier'), ['serve'], {
  cwd: folder,
  env: { ...process.env, PORT: '0', REGISTRY_URL: 'off', LOG_FORMAT: 'json' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let output = '';
  for await (const chunk of service.stdout) {
    output += String(chunk);
    if (output.includes('listening on ')) break;
  }
  const url = /listening on (\S+)/.exec(output)?.[1] ?? '';
  const lock = ['dossier', 'lock', '--from', url, 'co.webhook/webhook'];
  run('npx', lock);
  run('npx', ['dossier', 'check', '--from', url]);
  process.stdout.write(`served ${url}; locked and checked co.webhook/webhook\n`);
  const servers = { hooks: { type: 'http', url: 'https://mcp.webhook.co/mcp' } };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  // Only the configuration of this test, none of the user who runs it.
  const { HOME } = environment;
  environment.HOME = folder;
  const inventory = run('npx', ['dossier', 'inventory', '--service', url]);
  environment.HOME = HOME;
  if (!inventory.includes('1 server in 1 file: 1 listed.')) throw new Error(inventory);
  process.stdout.write('dossier inventory: 1 server in 1 file: 1 listed.\n');
  writeFileSync(join(folder, 'ask.ts'), clientUser);
  run(resolve('node_modules/.bin/tsc'), compilerOptions);
  process.stdout.write(`a program with dossier/client, compiled: ${run('node', ['ask.js', url])}`);
  environment.DOSSIER_INSTALLED = join(folder, 'node_modules/dossier/dist/main.js');
  const tests = ['vitest.mjs', 'run', '--project', 'sqlite', 'test/cli/readme.test.ts', '-t', 'README'];
  const vitest = dirname(resolve('node_modules/vitest/package.json'));
  const ran = run(process.execPath, [join(vitest, tests[0] ?? ''), ...tests.slice(1)], '.');
  const [, count] = /Tests +(\d+ passed.*)/.exec(stripVTControlCharacters(ran)) ?? [];
  if (count === undefined) throw new Error(`no command of the README ran:\n${ran}`);
  process.stdout.write(`commands of the README: ${count}\n`);
} finally {
  service.kill('SIGTERM');
  await once(service, 'close');
  rmSync(folder, { recursive: true, force: true });
}
