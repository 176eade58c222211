import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The core that servers run on and the one that the load comes from; undefined where there is but one. */
export const cores = canPin ? ({ server: 0, load: 1 } as const) : undefined;

/** Moves this process to the core of the load, so that it never takes time from what it measures. */
export function pinToLoadCore(): void {
  if (cores) execFileSync('taskset', ['-acp', String(cores.load), String(process.pid)], { stdio: 'ignore' });
}

/** Words before a command that keep it on the servers' core. */
export const onServerCore: readonly string[] = cores ? ['taskset', '-c', String(cores.server)] : [];

/** What the figures were taken on: date, Node, processor, how the cores are shared. */
export const machineLine = (): string =>
  [
    new Date().toISOString().slice(0, 16).replace('T', ' '),
    `Node ${process.version}`,
    `${cpus()[0]?.model.trim()} x ${cpus().length}`,
    cores ? 'server on one core, load on the other' : 'server and load not pinned',
  ].join(', ');

/** Processor time of all threads of a process so far; undefined where the system does not say (not Linux). */
export function cpuTime_ms(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times_ns = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times_ns.reduce((sum, time) => sum + time, 0) / 1e6;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process; undefined where the system does not say. */
export function memory_mb(pid: number): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}
