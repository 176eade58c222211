import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './command.ts';
import { type cores, onCore } from './machine.ts';

/** A server process of its own. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  /** From its start until it listened. */
  readonly ready_ms: number;
  stop(): Promise<void>;
}

/**
 * What to start: a script that prints `listening on <url>`, and the settings that differ from the defaults.
 */
export interface Command {
  readonly name: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** The checkout it is started from; this one by default. */
  readonly checkout?: string;
  /** The core it runs on where there are two; the servers' core by default. */
  readonly core?: keyof typeof cores;
  /** Gets what it prints, piece by piece. */
  readonly onOutput?: (text: string) => void;
  readonly onEnd?: () => void;
}

/** The command as a shell line, to find out by hand why it does not start. */
const toShellLine = (environment: Command['environment'], words: readonly string[]) =>
  [...Object.entries(environment ?? {}).map(([name, value]) => `${name}=${value}`), 'node', ...words].join(
    ' ',
  );

/** Starts a server and waits until it listens; drops what it logs. Throws if it exits first. */
export async function startServer({
  name,
  script,
  args = [],
  environment,
  nodeFlags = [],
  checkout = projectRoot,
  core = 'server',
  onOutput,
  onEnd,
}: Command): Promise<Server> {
  const started = performance.now();
  const [program = '', ...words] = [...onCore(core), process.execPath, ...nodeFlags, script, ...args];
  const child = spawn(program, words, {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, OBSERVE: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  if (onEnd) child.once('exit', onEnd);
  const listening = new Promise<string>((resolve) => {
    let output = '';
    let isListening = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      onOutput?.(text);
      if (isListening) return;
      output += text;
      const [, url] = /listening on (\S+)/.exec(output) ?? [];
      isListening = url !== undefined;
      if (url) resolve(url);
    });
  });
  const url = await Promise.race([listening, ended.then(() => undefined)]);
  if (!url || child.pid === undefined)
    throw new Error(`${name} ended before it listened: ${toShellLine(environment, [script, ...args])}`);
  const ready_ms = performance.now() - started;
  const stop = async () => {
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(kill);
  };
  return { name, pid: child.pid, url, ready_ms, stop };
}

/** What `npm start` runs: `[VARIABLE=value ...] exec node [flags ...] script command`. */
function toStart(checkout = projectRoot) {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const words = scripts.start.split(' ');
  const [script = '', ...args] = words.slice(-2);
  const node = words.indexOf('node');
  const variables = words.slice(0, node).filter((word) => word.includes('='));
  const environment: Record<string, string> = Object.fromEntries(variables.map((one) => one.split('=')));
  return { script, args, nodeFlags: words.slice(node + 1, -2), environment };
}

/**
 * The service as it ships, every check on: as `npm start` does, thresholds of limits lifted, logs at their
 * level.
 */
export function startService(databaseUrl: string, more: Partial<Command> = {}): Promise<Server> {
  const start = toStart(more.checkout);
  return startServer({
    name: 'this service',
    ...start,
    ...more,
    nodeFlags: [...start.nodeFlags, ...(more.nodeFlags ?? [])],
    environment: {
      ...start.environment,
      PORT: '0',
      LIMITS: 'off',
      REGISTRY_URL: 'off',
      DATABASE_URL: databaseUrl,
      ...more.environment,
    },
  });
}

/**
 * Which made-up rows a registry has: the latest version or all of each listing; another seed, other listings.
 */
export interface RegistryRows {
  readonly listings: number;
  readonly versions?: 'all' | 'latest';
  readonly seed?: number;
}

/** A registry of made-up rows, on the load's core: it only sends what it made before. */
export const startRegistry = ({ listings, versions = 'latest', seed = 1 }: RegistryRows): Promise<Server> =>
  startServer({
    name: 'registry',
    script: 'bench/registry.ts',
    args: [String(listings), versions, String(seed)],
    core: 'load',
  });

/** One of the servers of references/: what the service is compared with. */
export const startReference = (name: string, ...args: readonly string[]): Promise<Server> =>
  startServer({ name, script: 'bench/references/serve.ts', args: [name, ...args] });
