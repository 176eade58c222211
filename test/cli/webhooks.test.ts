import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { runDossier } from '../support/command.ts';
import { opened, openFolder } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';

// Each test starts the command several times.
const folder = openFolder();
const database = `file:${join(folder, 'dossier.db')}`;
const receiver = await opened(startReceiver());
await runDossier(['import', '--from', 'sample'], { DATABASE_URL: database, LOG_LEVEL: 'silent' });

const webhooks = (...args: string[]) =>
  runDossier(['webhooks', ...args], {
    DATABASE_URL: database,
    REGISTRY_URL: 'off',
    LOG_LEVEL: 'silent',
    WEBHOOK_OVERRIDES: JSON.stringify({ 'hook.example': receiver.url }),
  });

it('adds, lists, shows, replays and removes webhooks', async () => {
  const added = await webhooks('add', 'https://hook.example/in', '--tag', 'webhooks');
  const [, id = '', secret = ''] = /^id: (\S+)\nsecret: (whsec_\S+)\n$/.exec(added.stdout) ?? [];
  expect([added.code, receiver.requests.length]).toEqual([0, 1]);
  expect((await webhooks()).stdout).toBe(
    `${id}  active  tag:webhooks  0 delivered  0 failed in a row  https://hook.example/in\n`,
  );
  const store = await openSqliteStore(database);
  await store.write((tx) =>
    tx.webhooks.putDelivery({
      webhook_id: id,
      seq: 7,
      handle: 'co.webhook/webhook',
      state: 'dead',
      attempts: 10,
      next_at: '2026-11-21T10:00:00.000Z',
      result: 'HTTP 500',
    }),
  );
  await store.close();
  const shown = (await webhooks('show', id)).stdout;
  expect(shown).toContain('waiting: 0\ndead: 1\n');
  expect(shown).not.toContain(secret);
  expect((await webhooks('dead')).stdout).toBe(`${id}  7  co.webhook/webhook  10 attempts  HTTP 500\n`);
  expect((await webhooks('replay', id, '7')).stdout).toBe(
    'sent again: 1 dead letter; the webhook is active\n',
  );
  expect((await webhooks('remove', id)).stdout).toBe(`removed ${id}\n`);
});

it('says why an address is not taken, and that an id is unknown', async () => {
  expect(await webhooks('show', 'none')).toMatchObject({
    code: 64,
    stderr: 'no webhook has the id none; see dossier webhooks list\n',
  });
  const { code, stderr } = await webhooks('add', 'http://10.0.0.1/in');
  expect([code, stderr]).toEqual([64, expect.stringContaining('url must be an https address')]);
});
