import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const fileSystem = '/dev/shm';
const room_bytes = 6 * 1024 ** 3;

/** Removes a folder with what other processes may still write into it; what belongs to another user stays. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {}
}

/**
 * A new folder in memory, which this process removes at its end. Undefined if there is no room, or if it runs
 * no programs.
 */
function createFolder(): string | undefined {
  try {
    // A process id means something only among the processes that see each other.
    const [processes] = /\d+/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    const prefix = `dossier-tests-${processes}-`;
    const names = readdirSync(fileSystem).filter((name) => name.startsWith(prefix));
    const ofKilled = names.filter((name) => !existsSync(`/proc/${name.slice(prefix.length).split('-')[0]}`));
    for (const name of ofKilled) remove(join(fileSystem, name));
    const { bavail, bsize } = statfsSync(fileSystem);
    if (Math.min(bavail * bsize, process.availableMemory()) < room_bytes) return undefined;
    const folder = mkdtempSync(join(fileSystem, `${prefix}${process.pid}-`));
    process.once('exit', () => remove(folder));
    // PostgreSQL, which refuses to run as root, runs as another user.
    chmodSync(folder, 0o755);
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    return folder;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the temporary files of a project's tests in memory, where commits wait for no disk, unless TMPDIR
 * names a place.
 */
export function setup({ config }: TestProject): void {
  const folder = process.env.TMPDIR ? undefined : createFolder();
  if (folder) config.env.TMPDIR = folder;
}
