import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { toLeaf } from '../../src/log/leaf.ts';
import type { Webhook } from '../../src/webhooks/webhook.ts';
import { readAllRows } from '../support/all-rows.ts';
import { createBackups, refused } from '../support/backups.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { storedTools } from '../support/facts.ts';
import { opened, openedDirectory } from '../support/opened.ts';

// Each test starts the command several times.
const backups = await opened(createBackups());
let { whole } = backups;
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
      .poll(async () => (await readAllRows(database).catch(() => undefined))?.listing?.length ?? 0)
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

it('a backup of a service that writes contains the state of one moment', async () => {
  const database = await create();
  const busy = await openedDirectory({ environment: { DATABASE_URL: database } });
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
});

describe('a backup of what is hidden, long and told to others', () => {
  let database: string;
  const restored: Record<string, unknown> = {};
  const handle = 'co.webhook/webhook';
  /** 2 MB, as an endpoint may send. */
  const tools = [{ name: 'long', description: randomBytes(1_550_000).toString('base64') }];
  const webhook: Webhook = {
    id: 'active',
    url: 'https://hook.example/in',
    domain: 'hook.example',
    secret: 'whsec_AAAA',
    state: 'active',
    kind: 'all',
    value: '',
    created_at: '2026-11-20T08:00:00.000Z',
    position: 0,
    delivered: 0,
    failures: 0,
    failing_since: undefined,
    rest_until: undefined,
    delivered_at: undefined,
    last_result: undefined,
    network: undefined,
    served_at: '2026-11-21T10:00:00.000Z',
  };
  beforeAll(async () => {
    const original = await create();
    const { store, act, close } = await openDirectory({ environment: { DATABASE_URL: original } });
    await store.write(async (tx) => {
      for (let at = 1; at <= 30; at++) {
        const first_seen_at = `2026-11-20T08:00:${10 + at}.000Z`;
        const subject = `https://mcp.webhook.co/${at}`;
        const list = { digest: `${at}`, first_seen_at, members: tools };
        await tx.observations.putValue(await storedTools({ handle, subject }, list));
      }
      await tx.webhooks.put(webhook);
      await tx.webhooks.put({ ...webhook, id: 'ended', state: 'gone' });
    });
    await act('hide', handle, 'personal_data');
    await close();
    expect((await run(['backup', path('odd.gz')], original)).code).toBe(0);
    whole = readFileSync(path('odd.gz'));
    database = await create();
    Object.assign(restored, await backups.restore(whole, database));
  });

  it('has lines of a few megabytes, whatever the rows', () => {
    const lengths = gunzipSync(whole)
      .toString('latin1')
      .split('\n')
      .map(({ length }) => length);
    expect(Math.max(...lengths)).toBeGreaterThan(2_000_000);
    expect(Math.max(...lengths)).toBeLessThan(5_000_000);
    expect(restored).toMatchObject({ code: 0 });
  });
  it('finds no hidden text once restored, as before', async () => {
    const { store, close } = await openDirectory({ environment: { DATABASE_URL: database } });
    const find = async (text: string) =>
      (await store.listings.search({ text, facets: [], sort: 'relevance' })).counts.total;
    expect(await find('webhook')).toBeGreaterThan(0);
    expect(await find('replay')).toBe(0);
    await close();
  });
  it('pauses webhooks, until the operator resumes them', async () => {
    expect(restored.stdout).toContain('1 webhook is paused; dossier webhooks resume makes it active again\n');
    const states = async () => (await run(['webhooks', 'list'], database)).stdout.match(/^\w+ {2}\w+/gm);
    expect(await states()).toEqual(['active  paused', 'ended  gone']);
    expect((await run(['webhooks', 'resume'], database)).stdout).toBe('1 webhook is active again\n');
    expect(await states()).toEqual(['active  active', 'ended  gone']);
    expect((await run(['webhooks', 'resume'], database)).stdout).toBe('No webhook is paused.\n');
  });
});
