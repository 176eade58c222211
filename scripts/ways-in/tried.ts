import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Says what a try saw; the process ends with 1 if something does not hold. */
export interface Report {
  holds(what: string, isSo: boolean, output?: string): void;
}

/** Runs a try in a new folder, and removes the folder. */
export async function tryIn(play: (folder: string, report: Report) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-try-'));
  try {
    await play(folder, {
      holds(what, isSo, output = '') {
        process.stdout.write(`${isSo ? 'holds' : 'FAILS'}  ${what}\n${isSo ? '' : `${output}\n`}`);
        if (!isSo) process.exitCode = 1;
      },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a line of bash as a runner of GitHub Actions does. */
export const runLine = (line: string, options: { cwd: string; env: NodeJS.ProcessEnv }) =>
  new Promise<{ code: number; output: string }>((ended) => {
    execFile('bash', ['-eo', 'pipefail', '-c', line], options, (error, stdout, stderr) =>
      ended({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });

/** Waits up to half a minute until a service is ready; whether it is. */
export async function untilReady(url: string): Promise<boolean> {
  for (let tries = 0; tries < 150; tries++) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return true;
    await wait(200);
  }
  return false;
}

const npm = (...args: readonly string[]) =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Installs a package into a folder, without its scripts. */
export const installFrom = (folder: string, name: string) =>
  npm('install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, name);

/** Packs the project and installs it in a folder, as its users do; the path of the packed file. */
export function installPacked(folder: string): string {
  const packed = npm('pack', '--silent', '--pack-destination', folder);
  const file = join(folder, packed.trim().split('\n').at(-1) ?? '');
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  installFrom(folder, file);
  return file;
}
