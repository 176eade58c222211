import { expect, it } from 'vitest';
import { createWebhookSender } from '../../src/webhooks/deliver.ts';
import { openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { opened, openedDirectory } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';

const slowHosts = Array.from({ length: 199 }, (_, n) => `slow${n}.example`);
let changed = 0;
const change = async () => {
  changed += 1;
  const updatedAt = new Date(Date.parse('2026-10-01T00:00:00Z') + changed * 60_000).toISOString();
  await service.importEntries([
    registryEntry('com.example/one', { description: `Description ${changed}` }, { updatedAt }),
  ]);
};

/** All addresses are due again, so that the order of turns alone decides. */
const endRests = () =>
  service.store.write(async (tx) => {
    for (const webhook of await tx.webhooks.list())
      if (webhook.rest_until) await tx.webhooks.put({ ...webhook, rest_until: undefined });
  });

const honest = await opened(startReceiver());
const slow = await opened(startReceiver());
const service = await openedDirectory({
  entries: [registryEntry('com.example/one')],
  environment: {
    LIMITS: 'off',
    WEBHOOK_OVERRIDES: JSON.stringify({
      'honest.example': honest.url,
      ...Object.fromEntries(slowHosts.map((host) => [host, slow.url])),
    }),
  },
  timeouts: { webhookSlow_ms: 50 },
});

/**
 * Sends in rounds, as a node does every second, until a condition holds; no round waits for addresses that do
 * not answer.
 */
const sendUntil = (sender: ReturnType<typeof createWebhookSender>, isSo: () => boolean) =>
  expect
    .poll(async () => {
      await sender.begin();
      return isSo();
    })
    .toBe(true);

it('an address that answers gets every change while 150 others have answered none', async () => {
  const quick = await startReceiver();
  const heldHosts = slowHosts.slice(0, 150);
  const held = await Promise.all(heldHosts.map(() => startReceiver()));
  const overrides = Object.fromEntries(heldHosts.map((host, at) => [host, held[at]?.url]));
  const other = await openDirectory({
    entries: [registryEntry('com.example/one')],
    environment: {
      LIMITS: 'off',
      WEBHOOK_OVERRIDES: JSON.stringify({ 'quick.example': quick.url, ...overrides }),
    },
    timeouts: { webhook_ms: 600_000, webhookLate_ms: 200 },
  });
  const registered = await other.post('/api/webhooks', { url: 'https://quick.example/in' });
  const { id, secret } = (await registered.json()) as { id: string; secret: string };
  for (const receiver of [quick, ...held]) receiver.secret = secret;
  const own = await other.store.webhooks.byId(id);
  if (!own) throw new Error('not registered');
  // All others had their last turn before this one.
  const served_at = '2026-01-01T00:00:00.000Z';
  await other.store.write(async (tx) => {
    for (const domain of heldHosts)
      await tx.webhooks.put({ ...own, id: domain, domain, url: `https://${domain}/in`, served_at });
  });
  const unanswered: (() => void)[] = [];
  for (const receiver of held)
    receiver.answer = (_posted, response) => void unanswered.push(() => response.writeHead(204).end());
  const sender = createWebhookSender(other.context, new AbortController().signal);
  for (let n = 1; n <= 3; n += 1) {
    const updatedAt = new Date(Date.parse('2026-10-01T00:00:00Z') + n * 60_000).toISOString();
    const entry = registryEntry('com.example/one', { description: `Description ${n}` }, { updatedAt });
    await other.importEntries([entry]);
    await sendUntil(sender, () => quick.posted.length === n);
  }
  await sendUntil(sender, () => unanswered.length === 150);
  expect(quick.posted.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  for (const receiver of held) receiver.answer = (_posted, response) => void response.writeHead(204).end();
  for (const answer of unanswered) answer();
  await sender.idle();
  await Promise.all([...held, quick, other].map((one) => one.close()));
});

it('an address gets every change in a bounded number of turns beside 199 slow ones that are far behind', async () => {
  if (!honest || !slow) throw new Error('no receivers');
  for (let n = 0; n < 5; n += 1) await change();
  const registered = await service.post('/api/webhooks', { url: 'https://honest.example/in' });
  const { id, secret } = (await registered.json()) as { id: string; secret: string };
  [honest.secret, slow.secret] = [secret, secret];
  slow.answer = (_posted, response) => void setTimeout(() => response.writeHead(204).end(), 60);
  const own = await service.store.webhooks.byId(id);
  if (!own) throw new Error('not registered');
  await service.store.write(async (tx) => {
    for (const domain of slowHosts)
      await tx.webhooks.put({ ...own, id: domain, domain, url: `https://${domain}/in`, position: 0 });
  });
  for (let arrived = 1; arrived <= 3; arrived += 1) {
    await change();
    for (let round = 0; round < 4; round += 1) {
      await endRests();
      await service.deliver();
    }
    expect(honest.posted).toHaveLength(arrived);
  }
  // Each of 12 rounds has at most one turn at each slow address, and each turn one message.
  expect(slow.posted.length).toBeLessThanOrEqual(12 * 199);
  expect(slow.posted.length).toBeGreaterThan(2 * 199);
}, 240_000);
