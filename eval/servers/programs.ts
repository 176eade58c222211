import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A program of a package from npm, with what it needs to start without an account or a network. */
export interface Program {
  readonly package: string;
  /** Name of its program, if its package has several. */
  readonly bin?: string;
  /** The file to run, for a package that is one program for one platform. */
  readonly binary?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, 'npm');
const installed = join(folder, 'node_modules');

/**
 * Installs the packages that the package.json of a folder names, without their install scripts, unless they
 * are there.
 */
export function install(into = folder): void {
  if (existsSync(join(into, 'node_modules'))) return;
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--legacy-peer-deps'];
  if (spawnSync('npm', ['install', ...flags], { cwd: into, stdio: 'inherit' }).status !== 0)
    throw new Error('the servers could not be installed');
}

/** Servers write caches and settings there, and find none. */
const home = mkdtempSync(join(tmpdir(), 'dossier-servers-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

/** A configuration of a cluster that nobody reaches. */
export const kubeconfig = join(home, 'kubeconfig');
writeFileSync(
  kubeconfig,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'none',
    clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:9' } }],
    users: [{ name: 'none', user: { token: 'none' } }],
    contexts: [{ name: 'none', context: { cluster: 'none', user: 'none' } }],
  }),
);

const packageFile = (name: string) =>
  JSON.parse(readFileSync(join(installed, name, 'package.json'), 'utf8')) as {
    version: string;
    bin?: string | Record<string, string>;
  };

/** The version of an installed package. Throws if it is not installed, as one for another platform. */
export const versionOf = (name: string): string => packageFile(name).version;

/** How an installed program is started. */
export function commandOf({ package: name, bin, binary, args = [], environment = {} }: Program) {
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...environment };
  if (binary !== undefined) {
    const command = join(installed, name, binary);
    chmodSync(command, 0o755);
    return { command, args: [...args], env, cwd: home };
  }
  const { bin: stated = {} } = packageFile(name);
  const bins = typeof stated === 'string' ? { [name]: stated } : stated;
  const file = bin === undefined ? Object.values(bins)[0] : bins[bin];
  return { command: process.execPath, args: [join(installed, name, file ?? ''), ...args], env, cwd: home };
}

/** A port that is free on loopback. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (open: boolean) => () => {
      socket.destroy();
      resolve(open);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });

const start_ms = 30_000;

/**
 * Starts a program that listens on a port of loopback, with all programs that it starts. Throws if it does
 * not within 30 seconds.
 */
export async function listenOn(
  port: number,
  { command, args, env, cwd }: ReturnType<typeof commandOf>,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, { env, cwd, stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const close = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  for (let waited_ms = 0; waited_ms < start_ms; waited_ms += 100) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (await isOpen(port)) return close;
    await wait(100);
  }
  await close();
  throw new Error('it listens on no port');
}
