import { expect, it } from 'vitest';
import { readStatus } from '../../src/document/status.ts';
import { startLegacyServer } from '../support/endpoints/mcp-endpoint.ts';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { atEnd, opened, openedDirectory } from '../support/opened.ts';
import { operationsOf } from '../support/operations.ts';

const tools = [{ name: 'send', description: 'Sends a message' }];

const endpoint = await opened(startLegacyServer(() => tools));
const directory = await openedDirectory({
  entries: ['a', 'b'].map((name) =>
    registryEntry(`com.example.${name}/x`, remotesAt(`https://${name}.example.com/mcp`)),
  ),
  hosts: { 'a.example.com': endpoint, 'b.example.com': { url: 'http://127.0.0.1:9' } },
  environment: { METRICS_PORT: '0', OBSERVE_VANTAGE: 'test bench' },
});
const metrics = await directory.startMetrics();
atEnd(metrics.stop);

/** The samples of the observer’s metrics, by name and labels. */
const read = async () =>
  Object.fromEntries(
    [...(await (await fetch(metrics.url)).text()).matchAll(/^(dossier_observer_\S+) (\S+)$/gm)].map(
      ([, name = '', value]) => [name.replace('dossier_observer_', ''), Number(value)],
    ),
  );
const about = async () => (await directory.app.request('/about')).text();
const status = async () => (await readStatus(directory.context)).observer;

it('before the first look, agent://status and the about page say that there was none', async () => {
  expect(await status()).toEqual({
    observe: 'off',
    interval_s: 86_400,
    vantage: 'test bench',
    listings_observed: 0,
  });
  expect(await about()).toContain('No listing has been observed yet.');
});

it('counts looks, changed facts, requests, due listings and held hosts as metrics', async () => {
  const node = operationsOf(directory.context);
  await node.observeDue();
  const first = await read();
  expect(first).toMatchObject({
    'checks_total{outcome="changed"}': 2,
    'requests_total{result="answered"}': endpoint.sent.length,
    due_listings: 0,
  });
  expect(first['requests_total{result="host_unreachable"}']).toBe(1);
  expect(first.changed_facts_total).toBeGreaterThan(6);
  const now_s = Date.now() / 1000;
  expect(Math.abs(now_s - (first.last_check_timestamp_seconds ?? 0))).toBeLessThan(60);
  directory.wait(2 * 86_400);
  await node.observeDue();
  expect(await read()).toMatchObject({
    'checks_total{outcome="changed"}': 2,
    'checks_total{outcome="unchanged"}': 2,
    changed_facts_total: first.changed_facts_total,
  });
  await node.close();
  expect(await read()).toMatchObject({ hosts_held: 0 });
});

it('after a look, both say when it was and of how many listings', async () => {
  const date = directory.context.clock().toISOString().slice(0, 10);
  expect(await status()).toMatchObject({
    listings_observed: 2,
    last_observed_at: expect.stringContaining(date) as string,
  });
  expect(await about()).toContain(`Listings observed so far: 2; last observation: <time`);
});
