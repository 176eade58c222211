import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;

/** The core that what is measured runs on, and the one that the load comes from, where there are two. */
export const cores = { server: 0, load: 1 } as const;

/** Moves this process to a core, so that it takes no time from what runs on the other. */
export function pinTo(core: keyof typeof cores): void {
  if (canPin)
    execFileSync('taskset', ['-acp', String(cores[core]), String(process.pid)], { stdio: 'ignore' });
}

/** Prefix of a command that pins it to a core. */
export const onCore = (core: keyof typeof cores): string[] =>
  canPin ? ['taskset', '-c', String(cores[core])] : [];

/** Load average of the minute before this process began. */
const loadBefore = loadavg()[0] ?? 0;

const processor = `${cpus()[0]?.model.trim()} x ${cpus().length}`;

/** What machines have in common whose ratios are compared: the major version of Node, and the processor. */
export const machineKind = `Node ${process.version.split('.')[0]}, ${processor}`;

/**
 * The conditions of a measurement: date, Node, processor, load before; that nothing is pinned, where that is
 * so.
 */
export const machineLine = (): string =>
  [
    new Date().toISOString().slice(0, 16).replace('T', ' '),
    `Node ${process.version}`,
    processor,
    ...(canPin ? [] : ['server and load not pinned']),
    `load average ${loadBefore.toFixed(1)} before`,
  ].join(', ');

/**
 * Processor time of all threads of a process so far; undefined where the system does not report it (not
 * Linux).
 */
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

/**
 * Memory of a process: all that is resident, and the part of it that is mapped files, which the system may
 * take back.
 */
export interface Memory {
  readonly resident_mb: number;
  readonly files_mb: number;
  /** The most that was ever resident. */
  readonly peak_mb: number;
}

/** The memory of a process now; zeros where the system does not report it. */
export function memoryOf(pid: number): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return { resident_mb: read('VmRSS'), files_mb: read('RssFile'), peak_mb: read('VmHWM') };
  } catch {
    return { resident_mb: 0, files_mb: 0, peak_mb: 0 };
  }
}

/** As `358 MB, 90 of it mapped files`. */
export const toMemoryText = ({ resident_mb, files_mb }: Memory): string =>
  `${(resident_mb - files_mb).toFixed(0)} MB, and ${files_mb.toFixed(0)} MB of mapped files`;
