import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Packs the project, installs it in an empty folder, and runs it there as its users would. */
const folder = mkdtempSync(join(tmpdir(), 'dossier-package-'));
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

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
  ...['--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false'],
  ...['--typeRoots', resolve('node_modules/@types'), 'ask.ts'],
];

const packed =
  run('npm', ['pack', '--silent', '--pack-destination', folder], '.').trim().split('\n').at(-1) ?? '';
writeFileSync(join(folder, 'package.json'), '{"name": "empty", "private": true, "type": "module"}');
run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, packed)]);
process.stdout.write(`installed ${packed}; dossier --version: ${run('npx', ['dossier', '--version'])}`);

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
  writeFileSync(join(folder, 'ask.ts'), clientUser);
  run(resolve('node_modules/.bin/tsc'), compilerOptions);
  process.stdout.write(`a program with dossier/client, compiled: ${run('node', ['ask.js', url])}`);
} finally {
  service.kill('SIGTERM');
  await once(service, 'close');
  rmSync(folder, { recursive: true, force: true });
}
