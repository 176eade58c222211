import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../command.ts';
import { median } from '../quantile.ts';
import type { Server } from '../server.ts';

/**
 * Seconds of `dossier check`, and of a command that only reads its settings; both with the start of the
 * process.
 */
export interface CheckTimes {
  readonly check_s: number;
  readonly start_s: number;
}

async function time_s(work: () => Promise<unknown>): Promise<number> {
  const began_ms = performance.now();
  await work();
  return (performance.now() - began_ms) / 1000;
}

/** Locks the listings at a service, and checks the lock there so many times. */
export async function measureCheck(
  { url }: Server,
  handles: readonly string[],
  rounds: number,
): Promise<CheckTimes> {
  const folder = mkdtempSync(join(tmpdir(), 'dossier-lock-'));
  const lock = join(folder, 'dossier.lock.json');
  const dossier = (...args: string[]) => runScript(['src/main.js', ...args]);
  try {
    await dossier('lock', '--from', url, '--out', lock, ...handles);
    const [checks, starts]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      checks.push(await time_s(() => dossier('check', '--from', url, '--out', lock)));
      starts.push(await time_s(() => dossier('config')));
    }
    return { check_s: median(checks), start_s: median(starts) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
