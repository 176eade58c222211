import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonFeed } from 'feedsmith';
import { expect, it, vi } from 'vitest';
import { runDossier } from '../support/command.ts';
import type { Directory } from '../support/directory.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';
import { openedDirectory, openedEndpoint, openFolder } from '../support/opened.ts';

const folder = openFolder();
const file = join(folder, 'views.json');
const documents = join(folder, 'documents.json');
let views = 0;

const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.com/mcp' }];
const shop = (version = '1.0.0', more = {}, meta = {}) =>
  registryEntry('com.example/shop', { version, remotes, ...more }, meta);
const other = registryEntry('com.example/other', { remotes });

const open = async (
  entries: readonly RegistryEntry[],
  content: object = JSON.parse(readFileSync(file, 'utf8')),
  environment: Readonly<Record<string, string>> = {},
) => {
  const own = join(folder, `views-${views++}.json`);
  writeFileSync(own, JSON.stringify(content));
  const directory = await openedDirectory({
    entries,
    environment: { VIEWS: own, PUBLIC_URL: 'https://dossier.example', ...environment },
  });
  await directory.judgeViews();
  return directory;
};
/** Without the marks of days and of what others wrote. */
const text = async ({ app }: Directory, path: string) =>
  (await (await app.request(path)).text()).replace(/<\/?(?:time|span)\b[^>]*>/g, '');
const policyOf = async ({ app }: Directory) => {
  const answer = await app.request('/views/ours/managed-settings.json');
  return [await answer.json(), answer.headers.get('dossier-lapsed')];
};
const allowed = { allowedMcpServers: [{ serverUrl: 'https://mcp.example.com/mcp' }] };
const none = { allowedMcpServers: [] };

const approve = (...args: string[]) =>
  runDossier(['approve', '--views', file, '--view', 'ours', '--from', documents, ...args], {});

writeFileSync(file, JSON.stringify({ ours: { title: 'Ours', approvals: [] } }));
const directory = await open([shop(), other]);
writeFileSync(
  documents,
  JSON.stringify([JSON.parse(await text(directory, '/agents/com.example/shop.json'))]),
);

it('dossier approve writes what is known now beside who approved it, why and until when', async () => {
  const words = ['com.example/shop', '--by', 'Ada', '--reason', 'payments of the shop'];
  const { code, stdout } = await approve(...words, '--until', '90d');
  const on = new Date().toISOString().slice(0, 10);
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  expect(code).toBe(0);
  const entry = {
    handle: 'com.example/shop',
    by: 'Ada',
    reason: 'payments of the shop',
    on,
    until,
    pins: { version: ['1.0.0'], endpoint: ['https://mcp.example.com/mcp'], package: [] },
  };
  expect(JSON.parse(stdout)).toEqual(entry);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ours: { title: 'Ours', approvals: [entry] } });
  // A second approval of the same listing takes the place of the first.
  await approve('com.example/shop', '--by', 'Ada', '--reason', 'again', '--until', until, '--pin', 'version');
  expect(JSON.parse(readFileSync(file, 'utf8')).ours.approvals).toEqual([{ ...entry, reason: 'again' }]);
});

it.each([
  ['an unknown listing', ['com.example/none'], /com\.example\/none: not listed/],
  ['an unknown pin', ['com.example/shop', '--pin', 'colour'], /one or more of version,/],
  ['a date that is none', ['com.example/shop', '--until', 'soon'], /such as 90d/],
  ['tools that were never seen', ['com.example/shop', '--pin', 'tools'], /tools cannot be pinned/],
  ['a day that is over', ['com.example/shop', '--until', '2026-01-01'], /is over/],
])('dossier approve writes nothing for %s', async (_, args, why) => {
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await approve(...args, '--by', 'A', '--reason', 'r');
  expect([code, readFileSync(file, 'utf8')]).toEqual([64, before]);
  expect(stderr).toMatch(why);
});

const approval = {
  handle: 'com.example/shop',
  by: 'Ada',
  reason: 'payments of the shop',
  on: '2026-11-01',
  pins: { version: '1.0.0', endpoint: 'https://mcp.example.com/mcp' },
};
const ours = (more = {}, approvals: readonly object[] = [approval]) => ({
  ours: { title: 'Ours', approvals, ...more },
});

it('a view with approvals has the approved listings alone, and says who approved them and why', async () => {
  const directory = await open([shop(), other], ours());
  expect(await policyOf(directory)).toEqual([allowed, null]);
  const page = await text(directory, '/views/ours');
  expect(page).toContain('Approved on 2026-11-01 by “Ada”: “payments of the shop”.');
  expect(page).toContain('The version is as approved: “1.0.0”.');
  expect(page).not.toContain('com.example/other');
});

const elsewhere = [{ type: 'streamable-http', url: 'https://elsewhere.example/mcp' }];

it('a listing that is no longer as it was pinned leaves it: page, feed, changes and policy say which pin broke', async () => {
  const directory = await open([shop(), other], ours());
  expect(await policyOf(directory)).toEqual([allowed, null]);
  const updatedAt = '2026-11-20T08:00:00Z';
  await directory.importEntries([shop('1.0.1', { remotes: elsewhere }, { updatedAt }), other]);
  expect(await policyOf(directory)).toEqual([none, '1']);
  await directory.judgeViews();
  const version =
    'Approved on 2026-11-01 with version “1.0.0”; the record that was last updated on 2026-11-20 has “1.0.1”.';
  const endpoint =
    'Approved on 2026-11-01 with endpoint “https://mcp.example.com/mcp”; the record that was last updated on 2026-11-20 has “https://elsewhere.example/mcp”.';
  const page = await text(directory, '/views/ours');
  expect(page).toContain('Approved, but not in this view now');
  expect(page).toContain(`${version} ${endpoint}`);
  // Days later it says the same.
  directory.wait(5 * 86_400);
  expect(await text(directory, '/views/ours')).toContain(`${version} ${endpoint}`);
  const feed = parseJsonFeed(JSON.parse(await text(directory, '/views/ours/feed.json')));
  expect(feed.items?.[0]?.title).toBe(`com.example/shop: left the view (ours: ${version}, ${endpoint})`);
  const changes = (await text(directory, '/changes?since=0')).trim().split('\n');
  expect(JSON.parse(changes.at(-1) ?? '')).toMatchObject({
    type: 'view.left',
    data: {
      failed: [
        { criterion: 'pin:version', result: 'not_met', from: '“1.0.0”', to: '“1.0.1”' },
        { criterion: 'pin:endpoint', result: 'not_met' },
      ],
    },
  });
});

it('once a listing is withdrawn, its departure from a view names the pin and no text of the publisher', async () => {
  const directory = await open([shop(), other], ours());
  const updatedAt = '2026-11-20T08:00:00Z';
  await directory.importEntries([shop('1.0.1', { remotes: elsewhere }, { updatedAt }), other]);
  await directory.judgeViews();
  expect(await text(directory, '/changes?since=0')).toContain('elsewhere.example');
  const gone = { updatedAt: '2026-11-21T08:00:00Z', status: 'deleted' };
  await directory.importEntries([
    shop('1.0.1', { remotes: elsewhere }, gone),
    shop('1.0.0', {}, gone),
    other,
  ]);
  const changes = await text(directory, '/changes?since=0');
  const departure = { criterion: 'pin:version', result: 'not_met' };
  expect(changes).toContain(JSON.stringify(departure));
  expect(await text(directory, '/views/ours/feed.json')).toContain(
    'left the view (ours: pin:version not met, pin:endpoint not met)',
  );
  for (const path of ['/changes?since=0', '/views/ours/feed.json', '/feed.json', '/feed.atom'])
    expect(await text(directory, path)).not.toMatch(/elsewhere\.example|1\.0\.1/);
});

it('a listing that is again as it was approved comes back', async () => {
  const pins = { endpoint: 'https://mcp.example.com/mcp' };
  const directory = await open([shop()], ours({}, [{ ...approval, pins }]));
  await directory.importEntries([
    shop('1.0.1', { remotes: elsewhere }, { updatedAt: '2026-11-20T08:00:00Z' }),
  ]);
  expect(await policyOf(directory)).toEqual([none, '1']);
  await directory.importEntries([shop('1.0.2', {}, { updatedAt: '2026-11-21T08:00:00Z' })]);
  expect(await policyOf(directory)).toEqual([allowed, null]);
});

const npm = (version: string, more = {}) => ({
  registryType: 'npm',
  identifier: '@example/shop',
  version,
  transport: { type: 'stdio' },
  ...more,
});
const pins = { package: 'npm:@example/shop 1.0.0' };

it('a package pin holds for every package that is recorded under the name', async () => {
  const commands = (version: string) => ({
    allowedMcpServers: [{ serverCommand: ['npx', '-y', `@example/shop@${version}`] }],
  });
  const good = await open(
    [shop('1.0.0', { remotes: [], packages: [npm('1.0.0')] })],
    ours({}, [{ ...approval, pins }]),
  );
  // Neither policy starts another version than the approved one.
  expect(await policyOf(good)).toEqual([commands('1.0.0'), null]);
  expect(JSON.parse(await text(good, '/views/ours/.mcp.json'))).toEqual({
    mcpServers: { 'example-shop': { command: 'npx', args: ['-y', '@example/shop@1.0.0'] } },
  });
  const both = [npm('6.6.6'), npm('1.0.0')];
  const hidden = await open(
    [shop('1.0.0', { remotes: [], packages: both })],
    ours({}, [{ ...approval, pins }]),
  );
  expect(await policyOf(hidden)).toEqual([none, '1']);
});

it('a package pin does not hold for a package that is started in another way than when it was pinned', async () => {
  for (const more of [
    { packageArguments: [{ type: 'positional', value: '--allow-all' }] },
    { environmentVariables: [{ name: 'MODE', value: 'open' }] },
    { runtimeHint: 'bunx' },
    { version: '1.0.0 in https://npm.example' },
  ]) {
    const changed = [shop('1.0.0', { remotes: [], packages: [npm('1.0.0', more)] })];
    const directory = await open(changed, ours({}, [{ ...approval, pins }]));
    expect(await policyOf(directory)).toEqual([none, '1']);
  }
});

it('a package without the version that its approval pins is in no policy, and the page says so', async () => {
  const packages = [{ registryType: 'npm', identifier: '@acme/shop', transport: { type: 'stdio' } }];
  const pins = { package: 'npm:@acme/shop' };
  const directory = await open([shop('1.0.0', { remotes: [], packages })], ours({}, [{ ...approval, pins }]));
  expect(await policyOf(directory)).toEqual([none, null]);
  expect(await text(directory, '/views/ours')).toMatch(
    /leaves out.*<li><code class="foreign">@acme\/shop<\/code>: the approval pins its version, and its record has no exact version\.<\/li>/s,
  );
});

it('a listing that changed stays in a view that marks changes, is marked, and is in no policy', async () => {
  const directory = await open([shop('1.0.1', { remotes: elsewhere }), other], ours({ on_change: 'mark' }));
  expect(await policyOf(directory)).toEqual([none, '1']);
  expect(JSON.parse(await text(directory, '/views/ours/.mcp.json'))).toEqual({ mcpServers: {} });
  expect(await text(directory, '/views/ours')).toContain(
    '<strong>Changed:</strong> Approved on 2026-11-01 with version “1.0.0”; the record that was last updated on ',
  );
});

it.each([
  ['no pin', {}],
  ['a pin of the version', { version: ['1.0.0'] }],
])('an approval with %s lets in no endpoint and no package, because it names none', async (_, pins) => {
  const directory = await open([shop()], ours({}, [{ ...approval, pins }]));
  expect(await policyOf(directory)).toEqual([none, null]);
  expect(await text(directory, '/views/ours')).toContain(
    '<li><code class="foreign">https://mcp.example.com/mcp</code>: the approval does not name it.</li>',
  );
});

it('an approval ends after its last day, and no earlier', async () => {
  const until = new Date().toISOString().slice(0, 10);
  const directory = await open([shop()], ours({}, [{ ...approval, until }]));
  expect(await policyOf(directory)).toEqual([allowed, null]);
  directory.wait(86_400);
  await directory.judgeViews();
  expect(await policyOf(directory)).toEqual([none, '1']);
  expect(await text(directory, '/views/ours')).toContain(`The approval ended after ${until}.`);
  expect(await text(directory, '/views/ours/feed.json')).toContain(`The approval ended after ${until}.`);
});

const operatorActed = 'An action of the operator of this service is in force';
it.each<[string, (directory: Directory) => Promise<unknown>, string, object?]>([
  [
    'was withdrawn',
    ({ importEntries }) =>
      importEntries([shop('1.0.0', {}, { status: 'deleted', updatedAt: '2026-11-20T08:00:00Z' })]),
    'It is not listed.',
  ],
  ['was hidden', ({ act }) => act('hide', 'com.example/shop', 'personal_data'), operatorActed],
  [
    'is of a blocked namespace',
    ({ act }) => act('block', 'namespace:com.example', 'overload'),
    operatorActed,
  ],
  ['misses a criterion', async () => {}, 'Claimed: not met. ', { criteria: [{ criterion: 'claimed' }] }],
])('a listing that %s is not in it', async (_, happen, why, more = {}) => {
  const directory = await open([shop()], ours(more));
  await happen(directory);
  expect(await policyOf(directory)).toEqual([none, '1']);
  expect(await text(directory, '/views/ours')).toContain(why);
});

it('each approved listing is judged once until it changes, whatever page of the view is read', async () => {
  const handles = Array.from({ length: 130 }, (_, n) => `com.example/n${String(n).padStart(3, '0')}`);
  const approvals = handles.map((handle) => ({ ...approval, handle, pins: { version: ['1.0.0'] } }));
  const directory = await open(
    handles.map((handle) => registryEntry(handle, { remotes })),
    ours({}, approvals),
  );
  const reads = vi.spyOn(directory.store.documents, 'factsOfAll');
  const countJudged = async (path: string) => {
    reads.mockClear();
    const { metadata, servers } = (await (await directory.app.request(path)).json()) as {
      servers: { server: { name: string } }[];
      metadata: { nextCursor?: string };
    };
    const judged = reads.mock.calls.flatMap(([some]) => some).length;
    return { judged, names: servers.map(({ server }) => server.name), cursor: metadata.nextCursor ?? '' };
  };
  const list = '/views/ours/v0.1/servers?limit=50';
  const after = (handle: string) =>
    `${list}&cursor=${Buffer.from(JSON.stringify([handle])).toString('base64url')}`;
  const nobodys = await countJudged(after('com.example/nobody'));
  const first = await countJudged(list);
  expect([nobodys.names, nobodys.judged]).toEqual([[], 130]);
  expect([first.names, first.judged]).toEqual([handles.slice(0, 50), 50]);
  const last = await countJudged(after('com.example/n099'));
  expect([last.names, last.judged, last.cursor]).toEqual([handles.slice(100), 30, '']);
  await directory.importEntries([
    registryEntry('com.example/n007', { remotes, version: '2.0.0' }, { updatedAt: '2026-11-20T08:00:00Z' }),
  ]);
  const changed = await countJudged(after('com.example/n109'));
  expect(changed.names).toEqual(handles.slice(110));
  expect(changed.judged).toBeLessThanOrEqual(130);
  const again = await countJudged(list);
  expect(again.names).toEqual(handles.slice(0, 51).filter((handle) => handle !== 'com.example/n007'));
  expect(again.judged).toBe(50);
  directory.wait(600);
  expect((await countJudged(after('com.example/nobody'))).judged).toBe(130);
});

it('a pin of what only checks see does not break while nothing is known', async () => {
  const pins = { tools: ['https://mcp.example.com/mcp 0123'] };
  const directory = await open([shop()], ours({}, [{ ...approval, pins }]));
  expect(await policyOf(directory)).toEqual([allowed, null]);
  expect(await text(directory, '/views/ours')).toContain('Not known: Approved on 2026-11-01 with tools');
});

const seenPins = [
  ['tools', { tools: ['https://mcp.example.com/mcp 0123'] }],
  ['skills', { skills: ['https://mcp.example.com/mcp 0123'] }],
  ['pay_to', { pay_to: ['https://mcp.example.com/mcp 0xabc'] }],
  ['version and tools', { version: '1.0.0', tools: ['https://mcp.example.com/mcp 0123'] }],
] as const;
const evil = { registryType: 'npm', identifier: 'evil-pkg', version: '6.6.6', transport: { type: 'stdio' } };

it.each(seenPins)(
  'a pin of %s breaks once the record names another endpoint, whatever is known of that one',
  async (_, pins) => {
    const directory = await open([shop()], ours({}, [{ ...approval, pins }]));
    expect(await policyOf(directory)).toEqual([allowed, null]);
    // The registry changes the version in place.
    const moved = { remotes: elsewhere, packages: [evil] };
    await directory.importEntries([shop('1.0.0', moved, { updatedAt: '2026-11-20T08:00:00Z' })]);
    expect(await policyOf(directory)).toEqual([none, '1']);
    expect(await text(directory, '/views/ours')).toMatch(
      /Approved on 2026-11-01 with (?:tools|prompts|resources|skills|pay_to) “https:\/\/mcp\.example\.com\/mcp 0\w+”; the record that was last updated on 2026-11-20 has endpoint “https:\/\/elsewhere\.example\/mcp”\./,
    );
  },
);

it.each(seenPins)(
  'with a pin of %s the policies have the endpoint that it names, and nothing that the record adds',
  async (_, pins) => {
    const added = { remotes: [...remotes, ...elsewhere], packages: [evil] };
    const directory = await open([shop('1.0.0', added)], ours({}, [{ ...approval, pins }]));
    expect(await policyOf(directory)).toEqual([allowed, null]);
    expect(JSON.parse(await text(directory, '/views/ours/.mcp.json'))).toEqual({
      mcpServers: { 'example-shop': { type: 'http', url: 'https://mcp.example.com/mcp' } },
    });
    expect(await text(directory, '/views/ours')).toMatch(
      /leaves out.*<li><code class="foreign">https:\/\/elsewhere\.example\/mcp<\/code>: the approval does not name it\.<\/li><li><code class="foreign">evil-pkg<\/code>: the approval does not name it\.<\/li>/s,
    );
  },
);

it.each([
  ['neither criteria nor approvals', { title: 'Ours' }, 'name criteria, approvals or readers'],
  ['a pin that there is not', { title: 'Ours', approvals: [{ ...approval, pins: { colour: 'x' } }] }, 'pins'],
  ['two approvals of one listing', { title: 'Ours', approvals: [approval, approval] }, 'has two approvals'],
  ['no reason', { title: 'Ours', approvals: [{ ...approval, reason: '' }] }, 'reason'],
])('a file with %s stops the start with 78 and one line', async (_, view, why) => {
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ ours: view }));
  const { code, stderr } = await runDossier(['config'], { VIEWS: wrong });
  expect([code, stderr]).toEqual([78, expect.stringMatching(/^VIEWS: .*wrong\.json: [^\n]+\n$/)]);
  expect(stderr).toContain(why);
});

it('a pin of payees is about addresses; the reason why one breaks names what differs', async () => {
  const [one, two, three] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`);
  const solana = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
  const onBase = { network: 'eip155:8453', payTo: one };
  const onSolana = { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', payTo: solana };
  let payments = [onBase, onSolana];
  const endpoint = await openedEndpoint((_, { method }, response) => {
    if (method !== 'POST') return void response.writeHead(404).end();
    const accepts = payments.map((payment) => ({ scheme: 'exact', asset: 'a', amount: '1', ...payment }));
    response.writeHead(402, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ x402Version: 2, error: 'pay', resource: { url: 'x' }, accepts }));
  });
  const shopWith = (...payees: unknown[]) =>
    open(
      [shop()],
      ours({}, [{ ...approval, pins: { pay_to: [`https://mcp.example.com/mcp ${payees.join(', ')}`] } }]),
      { HOST_OVERRIDES: JSON.stringify({ 'mcp.example.com': endpoint.url }) },
    );
  const look = async (directory: Directory) => {
    directory.wait(86_400);
    await directory.observe('com.example/shop');
    await directory.judgeViews();
    return policyOf(directory);
  };
  const directory = await shopWith(one, solana);
  expect(await look(directory)).toEqual([allowed, null]);
  payments = [onBase, { ...onBase, network: 'eip155:137' }, onSolana];
  expect(await look(directory)).toEqual([allowed, null]);
  // One that goes leaves the other as approved.
  payments = [onBase];
  expect(await look(directory)).toEqual([allowed, null]);
  expect(await text(directory, '/views/ours')).toContain(
    `The pay_to is as approved: “https://mcp.example.com/mcp ${one}”.`,
  );
  payments = [one, two, three].map((payTo) => ({ ...onBase, payTo }));
  const longer = await shopWith(one, two, solana);
  expect(await look(longer)).toEqual([none, '1']);
  const page = await text(longer, '/views/ours');
  expect(page).toContain(`…${solana}`);
  expect(page).toContain(`…${three}`);
});
