import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { onCore } from './machine.ts';

/** Runs a script of the project to its end on the servers' core; answers what it printed. Throws where it failed. */
export async function runScript(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = '', ...words] = [...onCore('server'), process.execPath, ...args];
  const child = spawn(program, words, {
    cwd: new URL('..', import.meta.url).pathname,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
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
