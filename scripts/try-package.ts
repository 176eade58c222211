import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packs the project, installs it in an empty folder, and runs it there as its users would. */
const folder = mkdtempSync(join(tmpdir(), 'dossier-package-'));
const run = (command: string, args: readonly string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const packed =
  run('npm', ['pack', '--silent', '--pack-destination', folder], '.').trim().split('\n').at(-1) ?? '';
writeFileSync(join(folder, 'package.json'), '{"name": "empty", "private": true}');
run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(folder, packed)]);
process.stdout.write(`installed ${packed}; dossier --version: ${run('npx', ['dossier', '--version'])}`);

const service = spawn('npx', ['dossier', 'serve'], {
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
} finally {
  service.kill('SIGTERM');
  await once(service, 'close');
  rmSync(folder, { recursive: true, force: true });
}
