import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonFeed } from 'feedsmith';
import { expect, it, vi } from 'vitest';
import { startReadingViews } from '../../src/app/views-file.ts';
import { startJudgingSelections } from '../../src/selections/judging.ts';
import { openClaimedDirectory } from '../support/claimed-directory.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { opened, openedDirectory, openFolder } from '../support/opened.ts';

const folder = openFolder();
const file = join(folder, 'views.json');
const views = {
  'our-services': {
    title: 'What we may use',
    description: 'Claimed, with an endpoint.',
    criteria: [{ criterion: 'claimed' }, { criterion: 'has_endpoint' }],
  },
  recent: { title: 'Recent', criteria: [{ criterion: 'updated_within_days', value: 3650 }] },
  packages: { title: 'Packages', criteria: [{ criterion: 'package', value: 'npm' }] },
};

writeFileSync(file, JSON.stringify(views));
const service = await opened(
  openClaimedDirectory({
    entries: [
      ...seedEntries,
      ...Array.from({ length: 120 }, (_, n) => registryEntry(`com.example.many/n${n}`)),
    ],
    environment: { VIEWS: file, PUBLIC_URL: 'https://dossier.example' },
  }),
);
await service.claim('co.webhook/webhook', 'webhook-co/webhook');
await service.judgeViews();

const read = async (path: string) => service.app.request(path);
const json = async <T>(path: string) => (await (await read(path)).json()) as T;
interface List {
  servers: { server: { name: string }; _meta: Record<string, { criteria?: object[] }> }[];
  metadata: { nextCursor?: string };
}

it('shows a view with its criteria in full, and which fact met which criterion on which date', async () => {
  expect(await (await read('/views')).text()).toContain('<a href="/views/our-services">What we may use</a>');
  const page = await (await read('/views/our-services')).text();
  expect(page).toContain('<a class="handle" href="/agents/co.webhook/webhook">');
  expect(page).not.toContain('com.politicalcomms/api');
  expect(page).toMatch(
    /The operator chose the criteria, and facts with dates decide which listings meet them\./,
  );
  expect((await read('/views/none')).status).toBe(404);
});

it('is the registry of an MCP host: exactly the listings that meet it now', async () => {
  const { servers } = await json<List>('/views/our-services/v0.1/servers?limit=50&version=latest');
  expect(servers.map(({ server }) => server.name)).toEqual(['co.webhook/webhook']);
  expect(servers[0]?._meta['example.dossier/evidence']?.criteria).toMatchObject([
    { criterion: 'claimed', result: 'met', fact: expect.stringMatching(/^Claimed: met\. .*write access/) },
    { criterion: 'has_endpoint', result: 'met' },
  ]);
  expect((await read('/views/our-services/v0.1/servers/co.webhook%2Fwebhook/versions/latest')).status).toBe(
    200,
  );
  const other = await read('/views/our-services/v0.1/servers/com.politicalcomms%2Fapi/versions/latest');
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
});

it('refuses a limit or cursor that it cannot read, and never answers more than 100 entries', async () => {
  const base = '/views/recent/v0.1/servers';
  for (const limit of ['1.5', '0', '-3', 'NaN', 'many'])
    expect((await read(`${base}?limit=${limit}`)).status, limit).toBe(422);
  expect((await json<List>(`${base}?limit=1000000000`)).servers).toHaveLength(100);
  for (const place of [['\0'], ['zzz/zzz'], [9_007_199_254_740_991], [-1, '2026-10-02T08:00:00.000Z']]) {
    const cursor = Buffer.from(JSON.stringify(place)).toString('base64url');
    for (const path of [base, '/views/recent', '/agents'])
      expect((await read(`${path}?cursor=${cursor}`)).status, path).toBeLessThan(500);
  }
});

it('lists the versions of a listing as the registry API does, and knows no other address below it', async () => {
  const base = '/views/our-services/v0.1';
  const { servers } = await json<List>(`${base}/servers/co.webhook%2Fwebhook/versions`);
  expect(servers.map(({ server }) => server.name)).toEqual(['co.webhook/webhook']);
  const none = await read(`${base}/servers/com.politicalcomms%2Fapi/versions`);
  expect([none.status, none.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
  for (const path of [`${base}/nothing`, '/v0.1/nothing', '/v0.1/servers/co.webhook/webhook/other', '/v0/'])
    expect((await read(path)).status, path).toBe(404);
});

it('is read to its end by cursors, each listing once', async () => {
  const names: string[] = [];
  let cursor = '';
  do {
    const page = await json<List>(`/views/recent/v0.1/servers?limit=50${cursor && `&cursor=${cursor}`}`);
    names.push(...page.servers.map(({ server }) => server.name));
    cursor = page.metadata.nextCursor ?? '';
  } while (cursor);
  expect([names.length, new Set(names).size]).toEqual([122, 122]);
});

it('is an allow list and a configuration for hosts', async () => {
  expect(await json('/views/our-services/managed-settings.json')).toEqual({
    allowedMcpServers: [{ serverUrl: 'https://mcp.webhook.co/mcp' }],
  });
  expect(await json('/views/packages/managed-settings.json')).toEqual({
    allowedMcpServers: [
      { serverCommand: ['npx', '-y', '@political-comms/mcp'] },
      { serverCommand: ['npx', '-y', '@political-comms/mcp@1.2.0'] },
    ],
  });
  expect(await json('/views/our-services/.mcp.json')).toEqual({
    mcpServers: { webhook: { type: 'http', url: 'https://mcp.webhook.co/mcp' } },
  });
});

it('a listing that stops meeting it leaves it', async () => {
  await service.importEntries([
    registryEntry('co.webhook/webhook', { version: '1.0.1' }, { updatedAt: '2026-11-01T08:00:00Z' }),
  ]);
  expect((await json<List>('/views/our-services/v0.1/servers')).servers).toEqual([]);
  expect(await json('/views/our-services/managed-settings.json')).toEqual({ allowedMcpServers: [] });
  const feed = parseJsonFeed(await json('/views/our-services/feed.json'));
  expect(feed.items?.map(({ title }) => title)).toEqual([
    'co.webhook/webhook: left the view (our-services: claimed not met, has_endpoint not met)',
    'co.webhook/webhook: record changed (description, version, tags): no longer names the endpoint `mcp.webhook.co` and no longer names the repository `github.com/webhook-co/webhook`',
    'co.webhook/webhook: claim suspended: the record no longer names its repository (`github.com/webhook-co`)',
    'co.webhook/webhook: joined the view (our-services)',
  ]);
  const changes = (await (await read('/changes?since=0')).text()).trim().split('\n');
  expect(
    changes.map((line) => JSON.parse(line)).find(({ type }) => type === 'claim.suspended'),
  ).toMatchObject({
    data: { reason: 'repository_not_recorded' },
  });
  expect(JSON.parse(changes.at(-1) ?? '')).toMatchObject({
    type: 'view.left',
    handle: 'co.webhook/webhook',
    data: {
      view: 'our-services',
      failed: [
        { criterion: 'claimed', result: 'not_met' },
        { criterion: 'has_endpoint', result: 'not_met' },
      ],
    },
  });
});

it('a view tells only who joined and left it, and not of those that it had when it was first judged', async () => {
  const feed = parseJsonFeed(await json('/views/recent/feed.json'));
  const titles = feed.items?.map(({ title }) => title) ?? [];
  expect(titles[0]).toMatch(/^co\.webhook\/webhook: record changed /);
  expect(titles.filter((title) => /joined|left/.test(title ?? ''))).toEqual([]);
});

/**
 * Runs work; returns how many turns of the event loop it let others have, and how many listings it read at a
 * time.
 */
async function countTurns(work: () => Promise<unknown>) {
  let turns = 0;
  const reads = vi.spyOn(service.store.documents, 'factsOfAll');
  const isDone = new AbortController();
  const tick = () => {
    turns += 1;
    if (!isDone.signal.aborted) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  isDone.abort();
  const listings = reads.mock.calls.map(([handles]) => handles.length);
  reads.mockRestore();
  return { turns, listings };
}

it('reads only the listings of a view, some in a turn of the event loop, and judges all of them in the background', async () => {
  const long = await countTurns(() => read('/views/recent/managed-settings.json'));
  expect(long.listings).toEqual([20, 20, 20, 20, 20, 20, 2]);
  expect(long.turns).toBeGreaterThanOrEqual(6);
  const short = await countTurns(() => read('/views/packages/managed-settings.json'));
  expect(short.listings).toEqual([1]);
  const pass = await countTurns(() => service.judgeViews());
  expect(pass.listings).toEqual([20, 20, 20, 20, 20, 20, 2]);
  expect(pass.turns).toBeGreaterThanOrEqual(7);
});

it('a listing that is withdrawn leaves it', async () => {
  const gone = registryEntry(
    'com.politicalcomms/api',
    {},
    { status: 'deleted', updatedAt: '2026-11-02T08:00:00Z' },
  );
  await service.importEntries([gone]);
  expect(await json('/views/packages/managed-settings.json')).toEqual({ allowedMcpServers: [] });
  const feed = parseJsonFeed(await json('/views/packages/feed.json'));
  expect(feed.items?.[0]?.title).toMatch(/^com\.politicalcomms\/api: left the view/);
});

it('is judged by the service itself: when it starts, when a listing changes, and when time alone changes one', async () => {
  const updatedAt = new Date().toISOString();
  const fresh = ['one', 'two'].map((name) => registryEntry(`com.example/${name}`, {}, { updatedAt }));
  const month = join(folder, 'month.json');
  const criteria = [{ criterion: 'updated_within_days', value: 30 }];
  writeFileSync(month, JSON.stringify({ month: { title: 'This month', criteria } }));
  const judging = await openedDirectory({ entries: [], environment: { VIEWS: month } });
  const feed = async () => {
    const answer = await judging.app.request('/views/month/feed.json');
    const { items = [] } = (await answer.json()) as { items?: { title: string }[] };
    return items.map(({ title }) => title.split(' (')[0]).filter((title) => title?.endsWith('the view'));
  };
  const stopping = new AbortController();
  const ended = startJudgingSelections(judging.context, stopping.signal);
  const importing = async (listed: readonly object[]) => {
    writeFileSync(judging.context.config.registryUrl.slice('file:'.length), JSON.stringify(listed));
    expect((await judging.import()).state).toBe('done');
  };
  const policy = async () => (await judging.app.request('/views/month/.mcp.json')).status;
  await importing(fresh.slice(0, 1));
  await expect.poll(policy).toBe(200);
  expect(await (await judging.app.request('/views/month')).text()).toContain('1 in this view.');
  await importing(fresh);
  await expect.poll(feed).toEqual(['com.example/two: joined the view']);
  judging.wait(40 * 86_400);
  await expect.poll(async () => (await feed()).length).toBe(3);
  stopping.abort();
  await ended;
});

it('is judged once dossier serve runs', async () => {
  const registry = join(folder, 'registry.json');
  writeFileSync(registry, JSON.stringify(seedEntries));
  const serving = startDossier(['serve'], {
    DATABASE_URL: `file:${join(folder, 'serve.db')}`,
    REGISTRY_URL: `file:${registry}`,
    VIEWS: file,
    PORT: '0',
    LOG_LEVEL: 'error',
  });
  const url = await serving.line(/^listening on (.+)$/m);
  const policy = async () => (await fetch(`${url}/views/packages/managed-settings.json`)).text();
  await expect.poll(policy, { interval: 200 }).toContain('@political-comms/mcp@1.2.0');
  serving.child.kill('SIGTERM');
  await serving.ended;
});

it('says so before its listings were judged for the first time', async () => {
  const unjudged = await openedDirectory({ entries: [], environment: { VIEWS: file } });
  const answer = await unjudged.app.request('/views/our-services/managed-settings.json');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  await unjudged.judgeViews();
  expect((await unjudged.app.request('/views/our-services/managed-settings.json')).status).toBe(200);
});

it('says on its page how many listings the policies leave out', async () => {
  const entries = Array.from({ length: 1001 }, (_, n) => registryEntry(`com.example.full/n${n}`));
  const full = await openedDirectory({ entries, environment: { VIEWS: file } });
  const page = await (await full.app.request('/views/recent')).text();
  expect(page).toContain('1001 in this view.');
  expect(page).toContain('The allow list and .mcp.json leave out the last 1 in the order of handles.');
  const policy = await full.app.request('/views/recent/.mcp.json');
  expect(policy.headers.get('dossier-left-out')).toBe('1');
});

it.each([
  ['not JSON', '{'],
  ['has an unknown criterion', '{"x": {"title": "X", "criteria": [{"criterion": "best"}]}}'],
  ['lacks a value', '{"x": {"title": "X", "criteria": [{"criterion": "tag"}]}}'],
  ['has a wrong name', '{"X Y": {"title": "X", "criteria": [{"criterion": "claimed"}]}}'],
])('a file that is %s stops the start with 78 and one line', async (_, text) => {
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, text);
  const { code, stderr } = await runDossier(['config'], { VIEWS: wrong });
  expect([code, stderr]).toEqual([78, expect.stringMatching(/^VIEWS: .*wrong\.json: [^\n]+\n$/)]);
});

it.each([
  ['one for its readers', { own: { title: 'Own', readers: 'everyone', approvals: [] } }],
  ['none', {}],
])(
  'judges by the first view for everybody, also if the file had %s when the service began',
  async (_, began) => {
    const changing = join(folder, 'changing.json');
    writeFileSync(changing, JSON.stringify(began));
    const reading = await openedDirectory({ environment: { VIEWS: changing } });
    const stopping = new AbortController();
    const jobs = [startReadingViews, startJudgingSelections].map((start) =>
      start(reading.context, stopping.signal),
    );
    writeFileSync(changing, JSON.stringify({ all: { title: 'All', criteria: [{ criterion: 'active' }] } }));
    const statusOf = async () => (await reading.app.request('/views/all/.mcp.json')).status;
    await expect.poll(statusOf, { interval: 1000 }).toBe(200);
    stopping.abort();
    await Promise.all(jobs);
  },
);
