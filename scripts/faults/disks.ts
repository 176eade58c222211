import { spawnSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, must } from './fault.ts';
import { openTemporaryFolder } from './sqlite-place.ts';

const size_bytes = 64 * 1024 * 1024;
const mount = (...args: string[]) => spawnSync('mount', args).status === 0;

/** What a machine where we may not mount lacks. */
function lacksMount(): string | undefined {
  const { folder, close } = openTemporaryFolder();
  const mounted = mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder);
  if (mounted) spawnSync('umount', [folder]);
  close();
  return mounted ? undefined : 'no right to mount a small disk';
}

/** A folder that is a disk of its own. */
function openSmallDisk() {
  const { folder, close } = openTemporaryFolder();
  mount('-t', 'tmpfs', '-o', `size=${size_bytes}`, 'tmpfs', folder);
  return {
    folder,
    close() {
      spawnSync('umount', ['-l', folder]);
      close();
    },
  };
}

/** Makes a file grow until the disk is full. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, Buffer.alloc(16 * 1024));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

const diskFull: Fault = {
  name: 'SQLite, disk full',
  engine: 'sqlite',
  rounds: [1, 10],
  code: '503 storage_full',
  lacks: lacksMount,
  openFolder: openSmallDisk,
  async inject({ file, rounds, recover, requireReads }) {
    const ballast = join(file, '../ballast');
    for (let round = 0; round < rounds; round++) {
      await wait(2000);
      fill(ballast);
      await wait(4000);
      await requireReads();
      rmSync(ballast);
      await recover();
    }
  },
};

const readOnly: Fault = {
  name: 'SQLite, started on a read-only disk',
  engine: 'sqlite',
  rounds: [1, 10],
  lacks: lacksMount,
  openFolder: openSmallDisk,
  async inject({ node, file, rounds, restart }) {
    const folder = join(file, '..');
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      await node.kill();
      must(mount('-o', 'remount,ro', folder), 'the disk cannot be made read-only');
      const refusal = await node.start().then(
        () => 'started',
        (error: Error) => error.message,
      );
      must(mount('-o', 'remount,rw', folder), 'the disk cannot be made writable again');
      must(/^ended with 7[48] .*\n\n[A-Z_]+: [^\n]+\n$/.test(refusal), refusal);
      await restart();
    }
  },
};

/** Faults of the disk. */
export const diskFaults: readonly Fault[] = [diskFull, readOnly];
