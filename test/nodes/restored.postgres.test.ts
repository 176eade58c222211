import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../src/app/open.ts';
import type { Running } from '../../src/app/server.ts';
import { createNodes, type Nodes, post } from '../support/nodes.ts';
import { addSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

let before: Nodes;
let restored: Nodes;
beforeEach(async () => {
  before = await createNodes();
  restored = await createNodes();
});
afterEach(async () => {
  await before.close();
  await restored.close();
});

/** Rates once more at a node and publishes a checkpoint there; answers its size. */
async function publish({ url }: Running, capability: string, interaction_id: string): Promise<string> {
  const rating = ratingOf('a/subject-0', {
    interaction_id,
    interaction_at: '2026-11-21T09:00:00Z',
    relationship: 'none',
  });
  await post(`${url}/api/tools/submit_rating`, rating, { authorization: `Bearer ${capability}` })();
  return (await (await fetch(`${url}/log/checkpoint`)).text()).split('\n')[1] ?? '';
}

/** Puts the log's key into a new database: the oldest backup that a service which published can have made. */
async function restoreKey(seed: string): Promise<void> {
  const store = await openStore({ databaseUrl: restored.databaseUrl, databaseReadUrl: '' });
  await store.write((tx) => tx.log.addSeed(seed, '2026-11-21T08:00:00.000Z'));
  await store.close();
}

it('two nodes that start on an older database than their checkpoints name open one next log', async () => {
  const settings = ['one', 'two'].map((name) => ({
    PUBLIC_URL: 'https://dossier.example',
    CHECKPOINT_FILE: join(before.folder, `${name}.checkpoint`),
  }));
  const published: string[] = [];
  let capability = '';
  let seed = '';
  for (const [at, environment] of settings.entries()) {
    const node = await before.open(environment);
    capability ||= await addSource(node.context.store);
    published.push(await publish(node, capability, `run-${at}`));
    seed = (await node.context.store.log.seed()) ?? '';
  }
  expect(published).toEqual(['1', '2']);
  await before.stop();

  // No entry of the log is in this database.
  await restoreKey(seed);
  for (const round of ['restored', 'restarted']) {
    const opened = await Promise.all(settings.map((environment) => restored.open(environment)));
    for (const { url, context } of opened) {
      const heads = await context.store.log.heads();
      expect([round, ...heads.map(({ id, size }) => `${id}: ${size}`)]).toEqual([round, '1: 0', '2: 1']);
      expect((await fetch(`${url}/log/2/checkpoint`)).status).toBe(200);
      // The first node knows a checkpoint of one entry, and the other one of two.
      const closed = await (await fetch(`${url}/log/checkpoint`)).text();
      expect(closed.split('\n')[1]).toBe('2');
    }
    await restored.stop();
  }
});
