import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onCore } from './machine.ts';

/** This checkout. */
export const projectRoot = new URL('..', import.meta.url).pathname;

/**
 * Runs a script of a checkout to its end on the servers' core; returns its output. Throws where it failed.
 */
export async function runScript(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  checkout = projectRoot,
): Promise<string> {
  const [program = '', ...words] = [...onCore('server'), process.execPath, ...args];
  const child = spawn(program, words, {
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, OBSERVE: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${printed}\n${complained}`);
  return printed;
}
