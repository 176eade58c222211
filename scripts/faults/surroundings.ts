import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { type Fault, must } from './fault.ts';
import { openTemporaryFolder } from './sqlite-place.ts';

const held_ms = 8000;

const lockHeld: Fault = {
  name: 'SQLite, write lock held by another process for 8 s',
  engine: 'sqlite',
  rounds: [1, 20],
  code: '503 unavailable',
  async inject({ file, rounds, recover, requireReads }) {
    const other = new DatabaseSync(file, { timeout: 5000 });
    for (let round = 0; round < rounds; round++) {
      await wait(1500);
      other.exec('begin immediate');
      await wait(held_ms / 2);
      await requireReads();
      await wait(held_ms / 2);
      other.exec('rollback');
      await recover();
    }
    other.close();
  },
};

/** The library that shows a process another time: that of FAKETIME_LIBRARY, or of the system. */
const library =
  process.env.FAKETIME_LIBRARY ??
  globSync('/usr/lib/{*/,}faketime/libfaketimeMT.so.1').find((path) => existsSync(path));

/** What a machine without the library lacks. */
function lacksFaketime(): string | undefined {
  if (library === undefined)
    return 'no libfaketime (Debian: apt install libfaketime; elsewhere name libfaketimeMT.so.1 in FAKETIME_LIBRARY)';
  return existsSync(library) ? undefined : `FAKETIME_LIBRARY names ${library}, which is not there`;
}

const clockFile = join(tmpdir(), `dossier-clock-${process.pid}`);
const setClock = (shift: string) => writeFileSync(clockFile, shift);
const jumps = [
  ['+2h', 2],
  ['+0', 0],
  ['+30d', 720],
  ['+0', 0],
] as const;

const clockJumps: Fault = {
  name: 'SQLite, clock 2 h and 30 d ahead and back',
  engine: 'sqlite',
  rounds: [1, 20],
  lacks: lacksFaketime,
  openFolder() {
    setClock('+0');
    const { folder, close } = openTemporaryFolder();
    return { folder, close: () => [close(), rmSync(clockFile)] };
  },
  environment: {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  },
  async inject({ node, rounds, recover, requireReads }) {
    for (let round = 0; round < rounds; round++) {
      for (const [shift, ahead_h] of jumps) {
        setClock(shift);
        await wait(1500);
        const { headers } = await fetch(`${node.url}/healthz`);
        const seen_h = (Date.parse(headers.get('date') ?? '') - Date.now()) / 3_600_000;
        must(Math.round(seen_h) === ahead_h, `the clock of the node is ${seen_h} h ahead`);
        await recover();
        await requireReads();
      }
    }
  },
};

/** Faults of what is around the process. */
export const surroundings: readonly Fault[] = [clockJumps, lockHeld];
