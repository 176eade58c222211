import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { toLeaf } from '../../src/log/leaf.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { type Started, startDossier } from '../support/command.ts';
import { createSharedDatabase, openDatabase } from '../support/database.ts';
import { openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { opened, openedEndpoint, openFolder } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';

const folder = openFolder();
const started: Started[] = [];
/** Answers nothing, ever. */
/** Begins every answer, and sends some of it now and then. */

const silent = await openedEndpoint(() => undefined);
const dripping = await openedEndpoint((_, { url }, response) => {
  if (url === '/robots.txt') return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': 'application/json' });
  const drip = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(drip));
});
afterAll(() => {
  for (const { child } of started) child.kill('SIGKILL');
});

async function serve(environment: Record<string, string>): Promise<Started> {
  const service = startDossier(['serve'], {
    PORT: '0',
    REGISTRY_URL: 'off',
    LOG_LEVEL: 'warn',
    ...environment,
  });
  started.push(service);
  await service.line(/^listening on /m);
  return service;
}

/** Stops a service and returns its exit code. Background work ends at once, not only after `drain_ms`. */
async function stop({ child, ended }: Started): Promise<number | null> {
  child.kill('SIGTERM');
  const { code, stderr } = await ended;
  expect(stderr).not.toContain('background work did not end in time');
  return code;
}

const patience = { interval: 100 };

it('looks at hosts that hang or drip, and one that another node is making, are dropped', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const hosts = { hang: silent, drip: dripping, free: silent };
  const names = Object.keys(hosts).map((host) => `com.example.${host}/agent`);
  const directory = await openDirectory({
    entries: Object.keys(hosts).map((host) =>
      registryEntry(`com.example.${host}/agent`, remotesAt(`https://${host}.${host}.org/mcp`)),
    ),
    environment: { DATABASE_URL },
  });
  await directory.close();
  const store = await opened(openDatabase(DATABASE_URL));
  const elsewhere = await store.leases.take('check/com.example.free/agent');
  const before = silent.sent.length;
  const service = await serve({
    DATABASE_URL,
    OBSERVE: 'on',
    HOST_OVERRIDES: JSON.stringify(
      Object.fromEntries(Object.entries(hosts).map(([host, { url }]) => [`${host}.${host}.org`, url])),
    ),
  });
  await expect.poll(() => silent.sent.length - before, patience).toBeGreaterThan(0);
  await expect.poll(() => dripping.sent.map(({ path }) => path), patience).toContain('/mcp');
  expect(await stop(service)).toBe(0);
  const looks = await store.observations.lastRuns(-1, 10);
  expect(looks.map(({ observed_at }) => observed_at)).toEqual([null, null, null]);
  const leases = await Promise.all(names.map((name) => store.leases.find(`check/${name}`)));
  expect(leases.map((lease) => lease?.isHeld)).toEqual([undefined, undefined, true]);
  await elsewhere?.release();
});

it('a post to a webhook that does not answer is cut off, counts as no failure, and is made again', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const receiver = await opened(startReceiver());
  const WEBHOOK_OVERRIDES = JSON.stringify({ 'hook.example': receiver.url });
  const directory = await openDirectory({
    entries: [registryEntry('com.example.hook/agent')],
    environment: { DATABASE_URL, WEBHOOK_OVERRIDES, LIMITS: 'off' },
  });
  const registered = await directory.post('/api/webhooks', { url: 'https://hook.example/in' });
  const { id, secret } = (await registered.json()) as { id: string; secret: string };
  receiver.secret = secret;
  await directory.importEntries([
    registryEntry(
      'com.example.hook/agent',
      { description: 'Changed' },
      { updatedAt: '2026-11-01T08:00:00Z' },
    ),
  ]);
  await directory.close();
  receiver.answer = () => undefined;
  const service = await serve({ DATABASE_URL, WEBHOOK_OVERRIDES });
  await expect.poll(() => receiver.posted.length, patience).toBe(1);
  expect(await stop(service)).toBe(0);
  const store = await openDatabase(DATABASE_URL);
  expect(await store.webhooks.byId(id)).toMatchObject({ state: 'active', failures: 0 });
  expect(await store.webhooks.waiting(id)).toMatchObject({ count: 0 });
  expect(await store.leases.find(`webhook/${id}`)).toBeUndefined();
  await store.close();
  receiver.answer = (_posted, response) => void response.writeHead(204).end();
  const next = await serve({ DATABASE_URL, WEBHOOK_OVERRIDES });
  await expect.poll(() => receiver.posted.length, patience).toBe(2);
  expect(await stop(next)).toBe(0);
  expect(receiver.posted[0]?.id).toBe(receiver.posted[1]?.id);
});

it('a re-check of a claim at a git host that hangs is dropped, and says nothing about the claim', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const directory = await openClaimedDirectory({ environment: { DATABASE_URL } });
  await directory.claim('co.webhook/webhook', 'webhook-co/webhook');
  await directory.close();
  await editDatabase(DATABASE_URL, "update claim set checked_at = '2026-01-01T00:00:00.000Z'");
  await editDatabase(DATABASE_URL, 'delete from claim_check');
  const before = silent.sent.length;
  const service = await serve({
    DATABASE_URL,
    CLAIM_RECHECK: '1m',
    REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: silent.url, raw: `${silent.url}/raw` } }),
  });
  await expect.poll(() => silent.sent.length - before, patience).toBe(1);
  expect(await stop(service)).toBe(0);
  const store = await opened(openDatabase(DATABASE_URL));
  const claim = await store.claims.claim('co.webhook/webhook');
  expect(claim).toMatchObject({ state: 'claimed', checked_at: '2026-01-01T00:00:00.000Z' });
  expect(claim?.failed_days).toBeUndefined();
});

it('an import from a registry that hangs is ended', async () => {
  const before = silent.sent.length;
  const service = await serve({ DATABASE_URL: await createSharedDatabase(folder), REGISTRY_URL: silent.url });
  await expect.poll(() => silent.sent.length - before, patience).toBe(1);
  expect(await stop(service)).toBe(0);
});

it('a backup and an audit of a big database are ended, and leave nothing behind', async () => {
  const DATABASE_URL = await createSharedDatabase(folder);
  const BACKUP_DIR = mkdtempSync(join(folder, 'backups-'));
  const directory = await openDirectory({
    entries: [registryEntry('com.example.big/agent')],
    environment: { DATABASE_URL },
  });
  await directory.store.write(async (tx) => {
    const at = '2026-11-01T08:00:00.000Z';
    const handle = 'com.example.big/agent';
    for (let n = 0; n < 5000; n += 1)
      await tx.log.append(toLeaf('observation.changed', { handle, at, n }), { handle, at, data: {} });
  });
  await directory.close();
  await editDatabase(
    DATABASE_URL,
    `insert into spent_proof (digest, rating_id) with recursive number(n) as
       (select 1 union all select n + 1 from number where n < 400000) select 'digest ' || n, 'none' from number`,
  );
  const service = await serve({ DATABASE_URL, BACKUP_DIR });
  const store = await opened(openDatabase(DATABASE_URL));
  await expect.poll(async () => (await store.leases.find('audit'))?.isHeld, patience).toBe(true);
  await expect.poll(() => readdirSync(BACKUP_DIR), patience).toEqual([expect.stringMatching(/\.partial$/)]);
  expect(await stop(service)).toBe(0);
  expect(readdirSync(BACKUP_DIR)).toEqual([]);
  expect(await store.audits.last()).toBeUndefined();
  expect(await store.leases.find('audit')).toBeUndefined();
});
