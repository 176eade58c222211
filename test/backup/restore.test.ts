import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toLeaf } from '../../src/evidence/log/leaf.ts';
import { readAllRows } from '../support/all-rows.ts';
import { type Backups, createBackups, refused } from '../support/backups.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';

// Each test starts the command several times.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
let backups: Backups;
let whole: Buffer;
beforeAll(async () => {
  backups = await createBackups();
  whole = backups.whole;
});
afterAll(() => backups.close());
const path = (name: string) => backups.path(name);
const create = () => createSharedDatabase(backups.folder);
const run = (args: readonly string[], databaseUrl: string) => runDossier(args, backups.settings(databaseUrl));

const feedback = {
  received_at: '2026-11-21T10:00:00.000Z',
  state: 'open',
  message: 'written meanwhile',
} as const;

describe('a restore', () => {
  it('leaves a database alone that is not empty', async () => {
    const database = await create();
    expect((await run(['import', '--from', 'data/sample.json'], database)).code).toBe(0);
    const before = await readAllRows(database);
    const { code, stderr } = await backups.restore(whole, database);
    expect([code, stderr]).toEqual([
      78,
      'DATABASE_URL: this database is not empty (starting the service once fills it); set DATABASE_URL to a new one\n',
    ]);
    expect(await readAllRows(database)).toEqual(before);
  });
  it('that is killed is detected, and can be repeated', async () => {
    const database = await create();
    const { child, ended } = startDossier(['restore', '-'], backups.settings(database));
    child.stdin?.write(whole.subarray(0, whole.length / 2));
    await expect
      .poll(async () => (await readAllRows(database).catch(() => undefined))?.listing?.length ?? 0, {
        timeout: 10_000,
      })
      .toBeGreaterThan(0);
    expect(await run(['serve'], database)).toEqual(refused);
    child.kill('SIGKILL');
    await ended;
    expect(await run(['serve'], database)).toEqual(refused);
    expect((await backups.restore(whole, database)).code).toBe(0);
    expect(await readAllRows(database)).toEqual(backups.rows);
  });
  it('that meets another one ends with every row, or is detected', async () => {
    const database = await create();
    const both = await Promise.all([backups.restore(whole, database), backups.restore(whole, database)]);
    const codes = both.map(({ code }) => code);
    expect(codes).not.toEqual([0, 0]);
    expect([0, 74, 78]).toEqual(expect.arrayContaining(codes));
    if (!codes.includes(0)) expect((await backups.restore(whole, database)).code).toBe(0);
    expect(await readAllRows(database)).toEqual(backups.rows);
  });
});

describe('a backup of a service that writes', () => {
  it('contains the state of one moment', async () => {
    const database = await create();
    const busy = await openDirectory({ environment: { DATABASE_URL: database } });
    let written = 0;
    let isDone = false;
    const write = async (): Promise<void> => {
      await busy.store.write(async (tx) => {
        await tx.log.append(toLeaf('rating.submitted', { written }));
        await tx.feedback.add({ ...feedback, id: String(written++) });
      });
      await setImmediate();
      if (!isDone) return write();
    };
    const writing = write();
    const { code } = await run(['backup', path('busy.gz')], database);
    isDone = true;
    await writing;
    expect(code).toBe(0);
    const restored = await create();
    expect((await backups.restore(readFileSync(path('busy.gz')), restored)).code).toBe(0);
    const held = await readAllRows(restored);
    expect(held.feedback?.length).toBeGreaterThan(0);
    expect(held.feedback?.length).toBeLessThan(written);
    expect(held.log_leaf?.length).toBe(held.feedback?.length);
    expect(held.log_head).toMatchObject([{ size: held.feedback?.length }]);
    await busy.close();
  });
});
