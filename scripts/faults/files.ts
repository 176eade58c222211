import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, must, type Session } from './fault.ts';

const parts = ['', '-wal', '-shm'];

/**
 * Keeps the file reachable under another name, so that it can be put back, and runs `take` on the first name.
 */
async function takeAway({ node, file, restart, requireReads }: Session, take: (path: string) => void) {
  const kept = join(file, '../kept');
  mkdirSync(kept);
  for (const part of parts) linkSync(file + part, join(kept, `dossier.db${part}`));
  take(file);
  await wait(3000);
  const { status } = await fetch(`${node.url}/readyz`);
  must(status === 503, `/readyz was ${status} without the file`);
  await requireReads();
  await node.kill();
  for (const part of parts) renameSync(join(kept, `dossier.db${part}`), file + part);
  rmSync(kept, { recursive: true });
  await restart();
}

const gone = (name: string, take: (path: string) => void): Fault => ({
  name,
  engine: 'sqlite',
  rounds: [1, 20],
  code: '503 unavailable',
  async inject(session) {
    for (let round = 0; round < session.rounds; round++) {
      await wait(1500);
      await takeAway(session, take);
    }
  },
});

const deleted = gone('SQLite, file deleted, later put back', (path) => {
  for (const part of parts) rmSync(path + part);
});

const replaced = gone('SQLite, file replaced by another, later put back', (path) => {
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
});

/** Faults of the place where the file is. */
export const fileFaults: readonly Fault[] = [deleted, replaced];
