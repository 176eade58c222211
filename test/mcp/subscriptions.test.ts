import { expect, it } from 'vitest';
import { zeroImportCounts } from '../../src/imports/import-run.ts';
import { createSubscriptions } from '../../src/mcp/subscriptions.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { modern } from '../support/mcp-requests.ts';
import { openedDirectory } from '../support/opened.ts';

const directory = await openedDirectory({
  environment: { LIMITS: 'off' },
  timeouts: { subscription_ms: 200 },
});

it('a subscription ends by itself after its lifetime, and the client opens it again', async () => {
  const notifications = { resourceSubscriptions: ['agent://co.webhook/webhook'] };
  const listen = () =>
    directory.app.request('/api/mcp', {
      method: 'POST',
      ...modern('subscriptions/listen', { notifications }),
    });
  // Eight at a time are open for one network: the ninth needs the lifetime of the first ones to be over.
  for (const round of [1, 2]) {
    const streams = await Promise.all(Array.from({ length: 8 }, listen));
    expect(streams.map(({ status }) => status)).toEqual(Array(8).fill(200));
    for (const stream of streams)
      expect(await stream.text(), `round ${round}`).toContain('notifications/subscriptions/acknowledged');
  }
});

/** 1,000 streams of 125 networks of one /48, and what was logged. */
function fillAll() {
  const lines: string[] = [];
  const subscriptions = createSubscriptions(600_000, { warn: (line: string) => void lines.push(line) });
  const open = (network: string) => subscriptions.open(network, ['agent://a/b']);
  const streams = Array.from({ length: 1000 }, (_, n) => open(`2001:db8:0:${(n % 125).toString(16)}::/64`));
  return { open, streams, lines };
}

/**
 * 1,000 streams that watch 100 addresses each, as the SDK opens them; `calls` is how often one of them was
 * called.
 */
function watchAll(toUri: (stream: number, at: number) => string) {
  const subscriptions = createSubscriptions(600_000, { warn: () => {} });
  const heard = new Map<string, number>();
  let calls = 0;
  const ends = Array.from({ length: 1000 }, (_, n) => {
    const uris = Array.from({ length: 100 }, (_, at) => toUri(n, at));
    const stream = subscriptions.open(`2001:db8:0:${(n % 125).toString(16)}::/64`, uris);
    return stream.run(() =>
      subscriptions.bus.subscribe((event) => {
        calls += 1;
        if (event.kind === 'resource_updated') heard.set(event.uri, (heard.get(event.uri) ?? 0) + 1);
      }),
    );
  });
  const publish = (uri: string) => subscriptions.bus.publish({ kind: 'resource_updated', uri });
  return { publish, heard, ends, calls: () => calls, bus: subscriptions.bus };
}

it('an event calls only the streams that watch its address, however many there are', async () => {
  const { publish, heard, calls } = watchAll((stream, at) => `agent://a/${stream}-${at}`);
  for (let at = 0; at < 1000; at += 1) publish(`agent://a/${at}-0`);
  for (let at = 0; at < 1000; at += 1) publish(`agent://a/nobody-${at}`);
  await expect.poll(() => heard.size).toBe(1000);
  expect(calls()).toBe(1000);
});

it('an address that changes again before its streams were told is told once', async () => {
  const { publish, calls, ends, bus } = watchAll((_, at) => `agent://a/${at}`);
  for (let round = 0; round < 5; round += 1) for (let at = 0; at < 3; at += 1) publish(`agent://a/${at}`);
  await expect.poll(calls).toBe(3000);
  for (const end of ends) end();
  bus.publish({ kind: 'tools_list_changed' });
  publish('agent://a/0');
  expect(calls()).toBe(3000);
});

/** Records a completed import that changed no listing. */
async function completeImport(own: Directory): Promise<void> {
  const id = await own.store.write((tx) =>
    tx.imports.startRun({
      kind: 'full',
      source: 'https://registry.example',
      state: 'running',
      started_at: '2026-11-27T00:00:00Z',
      progress: { counts: zeroImportCounts, newestUpdatedAt: undefined, recorded: {} },
    }),
  );
  await own.store.write((tx) => tx.imports.saveRun(id, { state: 'done' }));
}

it('a completed import tells nobody of a listing that it did not change', async () => {
  const own = await openedDirectory({ timeouts: { subscription_ms: 400 } });
  const notifications = { resourceSubscriptions: ['agent://co.webhook/webhook'] };
  const stream = await own.app.request('/api/mcp', {
    method: 'POST',
    ...modern('subscriptions/listen', { notifications }),
  });
  await completeImport(own);
  expect(await stream.text()).not.toContain('notifications/resources/updated');
});

it('a node that could not read the changes when it started tells its streams that what they watch may have changed', async () => {
  const environment = { DATABASE_URL: await createSharedDatabase() };
  await (await openDirectory({ environment })).close();
  await editDatabase(
    environment.DATABASE_URL,
    `alter table evidence_change rename to away;
    create view evidence_change as select * from away where abs(-9223372036854775808) > 0`,
  );
  const own = await openedDirectory({ environment, timeouts: { subscription_ms: 1000 } });
  // Its first message is answered once the node has tried to read the changes.
  await (await own.app.request('/api/mcp', { method: 'POST', ...modern('tools/list', {}) })).text();
  await editDatabase(
    environment.DATABASE_URL,
    'drop view evidence_change; alter table away rename to evidence_change',
  );
  const notifications = { resourceSubscriptions: ['agent://co.webhook/webhook'] };
  const stream = await own.app.request('/api/mcp', {
    method: 'POST',
    ...modern('subscriptions/listen', { notifications }),
  });
  await completeImport(own);
  expect(await stream.text()).toContain('notifications/resources/updated');
});

it('where all are taken, the oldest of the biggest network ends for one of another network', () => {
  const { open, streams, lines } = fillAll();
  open('192.0.2.1');
  expect(streams.filter(({ ended }) => ended.aborted)).toEqual([streams[0]]);
  expect(lines).toEqual([]);
});

it('a further one of the biggest network is unavailable, which is logged once', () => {
  const { open, streams, lines } = fillAll();
  for (const network of ['2001:db8:0:ffff::/64', '2001:db8:0:fffe::/64'])
    expect(() => open(network)).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        facts: { retry_after_s: 60, detail: 'All subscriptions are taken.' },
      }),
    );
  expect(lines).toEqual([
    'all 1000 subscriptions are taken; new ones of the networks with the most are refused',
  ]);
  streams[5]?.end();
  expect(open('2001:db8:0:ffff::/64').ended.aborted).toBe(false);
});
