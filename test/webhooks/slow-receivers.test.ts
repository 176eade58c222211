import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const slowHosts = Array.from({ length: 199 }, (_, n) => `slow${n}.example`);
let service: Directory;
let [honest, slow]: Receiver[] = [];
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

beforeAll(async () => {
  [honest, slow] = [await startReceiver(), await startReceiver()];
  const slowUrl = slow.url;
  service = await openDirectory({
    entries: [registryEntry('com.example/one')],
    environment: {
      LIMITS: 'off',
      WEBHOOK_OVERRIDES: JSON.stringify({
        'honest.example': honest.url,
        ...Object.fromEntries(slowHosts.map((host) => [host, slowUrl])),
      }),
    },
    timeouts: { webhookSlow_ms: 50 },
  });
});
afterAll(async () => {
  await honest?.close();
  await slow?.close();
  await service.close();
});

it('an address gets every change in a bounded number of turns beside 199 slow ones that are far behind', async () => {
  if (!honest || !slow) throw new Error('no receivers');
  for (let n = 0; n < 5; n += 1) await change();
  const registered = await service.app.request('/api/webhooks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://honest.example/in' }),
  });
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
  // Each of 12 rounds has 64 turns, and each turn at a slow address one message.
  expect(slow.posted.length).toBeLessThanOrEqual(12 * 64);
  expect(slow.posted.length).toBeGreaterThan(2 * 199);
}, 240_000);
