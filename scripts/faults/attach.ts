import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** What a machine without strace lacks. */
export const lacksStrace = (): string | undefined =>
  spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0 ? undefined : 'no strace that may trace';

/** Attaches strace to a process with these options; returns how to detach. */
export async function attachStrace(
  pid: number | undefined,
  options: readonly string[],
): Promise<() => Promise<void>> {
  const strace = spawn('strace', [...options, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(strace, 'close');
  await Promise.race([once(strace.stderr, 'data'), closed]);
  strace.stderr.resume();
  return async () => {
    strace.kill('SIGINT');
    await closed;
  };
}
