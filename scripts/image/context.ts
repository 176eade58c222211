import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const run = (command: string, args: readonly string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** The shared libraries that a program loads, as paths of this machine, its loader among them. */
const librariesOf = (program: string): string[] => [
  ...new Set(run('ldd', [program], '.').match(/\/\S+(?= \(0x)/g) ?? []),
];

/** Copies a file to the same path under another root; links are followed. */
function copyUnder(root: string, path: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  cpSync(realpathSync(path), join(root, path));
}

/** Installs the packed project as its users do, without development dependencies. */
function installPackage(app: string): void {
  mkdirSync(app);
  const packed = run('npm', ['pack', '--silent', '--pack-destination', app], '.').trim().split('\n').at(-1);
  writeFileSync(join(app, 'package.json'), '{"private": true}');
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `./${packed}`], app);
  run('rm', ['--', `${packed}`], app);
}

/** Fills an empty folder with what the Containerfile copies. Needs Linux with glibc. */
export function makeContext(folder: string): void {
  const root = join(folder, 'root');
  mkdirSync(join(root, 'bin'), { recursive: true });
  for (const mountPoint of ['dev', 'proc', 'sys', 'tmp']) mkdirSync(join(root, mountPoint));
  mkdirSync(join(folder, 'data'));
  cpSync(realpathSync(process.execPath), join(root, 'bin/node'));
  for (const library of librariesOf(process.execPath)) copyUnder(root, library);
  installPackage(join(folder, 'app'));
  cpSync('scripts/image/Containerfile', join(folder, 'Containerfile'));
}
