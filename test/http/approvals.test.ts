import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJsonFeed } from 'feedsmith';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDossier } from '../support/command.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';

const folder = mkdtempSync(join(tmpdir(), 'dossier-approvals-'));
const file = join(folder, 'views.json');
const documents = join(folder, 'documents.json');
const opened: Directory[] = [];
afterAll(async () => {
  for (const one of opened) await one.close();
  rmSync(folder, { recursive: true });
});

const remotes = [{ type: 'streamable-http', url: 'https://mcp.example.com/mcp' }];
const shop = (version = '1.0.0', more = {}, meta = {}) =>
  registryEntry('com.example/shop', { version, remotes, ...more }, meta);
const other = registryEntry('com.example/other', { remotes });

const open = async (
  entries: readonly RegistryEntry[],
  views: object = JSON.parse(readFileSync(file, 'utf8')),
) => {
  const own = join(folder, `views-${opened.length}.json`);
  writeFileSync(own, JSON.stringify(views));
  const directory = await openDirectory({
    entries,
    environment: { VIEWS: own, PUBLIC_URL: 'https://dossier.example' },
  });
  opened.push(directory);
  await directory.judgeViews();
  return directory;
};
const text = async ({ app }: Directory, path: string) => (await app.request(path)).text();
const policyOf = async ({ app }: Directory) => {
  const answer = await app.request('/views/ours/managed-settings.json');
  return [await answer.json(), answer.headers.get('dossier-lapsed')];
};
const allowed = { allowedMcpServers: [{ serverUrl: 'https://mcp.example.com/mcp' }] };
const none = { allowedMcpServers: [] };

const approve = (...args: string[]) =>
  runDossier(['approve', '--views', file, '--view', 'ours', '--from', documents, ...args], {});

beforeAll(async () => {
  writeFileSync(file, JSON.stringify({ ours: { title: 'Ours', approvals: [] } }));
  const directory = await open([shop(), other]);
  writeFileSync(
    documents,
    JSON.stringify([JSON.parse(await text(directory, '/agents/com.example/shop.json'))]),
  );
});

it('dossier approve writes what is known now beside who approved it, why and until when', async () => {
  const { code, stdout } = await approve(
    ...['com.example/shop', '--by', 'Ada', '--reason', 'payments of the shop', '--until', '90d'],
  );
  const on = new Date().toISOString().slice(0, 10);
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
  expect(code).toBe(0);
  const entry = {
    ...{ handle: 'com.example/shop', by: 'Ada', reason: 'payments of the shop', on, until },
    pins: { version: ['1.0.0'], endpoint: ['https://mcp.example.com/mcp'], package: [] },
  };
  expect(JSON.parse(stdout)).toEqual(entry);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ours: { title: 'Ours', approvals: [entry] } });
  // A second approval of the same listing takes the place of the first.
  await approve('com.example/shop', '--by', 'Ada', '--reason', 'again', '--until', until, '--pin', 'version');
  expect(JSON.parse(readFileSync(file, 'utf8')).ours.approvals).toEqual([
    { ...entry, reason: 'again', pins: { version: ['1.0.0'] } },
  ]);
});

it.each([
  [
    'an unknown listing',
    ['com.example/none', '--by', 'A', '--reason', 'r'],
    /com\.example\/none: not listed/,
  ],
  [
    'an unknown pin',
    ['com.example/shop', '--by', 'A', '--reason', 'r', '--pin', 'colour'],
    /one or more of version,/,
  ],
  [
    'a date that is none',
    ['com.example/shop', '--by', 'A', '--reason', 'r', '--until', 'soon'],
    /such as 90d/,
  ],
  [
    'tools that were never seen',
    ['com.example/shop', '--by', 'A', '--reason', 'r', '--pin', 'tools'],
    /tools cannot be pinned/,
  ],
])('dossier approve writes nothing for %s', async (_, args, why) => {
  const before = readFileSync(file, 'utf8');
  const { code, stderr } = await approve(...args);
  expect([code, readFileSync(file, 'utf8')]).toEqual([64, before]);
  expect(stderr).toMatch(why);
});

const approval = {
  ...{ handle: 'com.example/shop', by: 'Ada', reason: 'payments of the shop', on: '2026-11-01' },
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
  expect(page).toContain('As approved: version “1.0.0”.');
  expect(page).not.toContain('com.example/other');
});

it('a listing that is no longer as it was pinned leaves it: page, feed, changes and policy say which pin broke', async () => {
  const directory = await open([shop(), other], ours());
  expect(await policyOf(directory)).toEqual([allowed, null]);
  const url = 'https://elsewhere.example/mcp';
  const updatedAt = '2026-11-20T08:00:00Z';
  await directory.importEntries([shop('1.0.1', { remotes: [{ ...remotes[0], url }] }, { updatedAt }), other]);
  expect(await policyOf(directory)).toEqual([none, '1']);
  await directory.judgeViews();
  const broken = 'Approved on 2026-11-01 with version “1.0.0”; it is “1.0.1”, known since 2026-11-20.';
  const page = await text(directory, '/views/ours');
  expect(page).toContain('Approved, and not in it now');
  expect(page).toContain(broken);
  expect(page).toContain(
    'with endpoint “https://mcp.example.com/mcp”; it is “https://elsewhere.example/mcp”',
  );
  const feed = parseJsonFeed(JSON.parse(await text(directory, '/views/ours/feed.json')));
  expect(feed.items?.[0]?.title).toMatch(
    /^com\.example\/shop: left the view \(ours: pin:version from “1\.0\.0” to “1\.0\.1”, known since 2026-11-20, pin:endpoint from /,
  );
  const changes = (await text(directory, '/changes?since=0')).trim().split('\n');
  expect(JSON.parse(changes.at(-1) ?? '')).toMatchObject({
    type: 'view.left',
    data: {
      failed: [
        { criterion: 'pin:version', result: 'not_met', from: '“1.0.0”', to: '“1.0.1”', when: '2026-11-20' },
        { criterion: 'pin:endpoint', result: 'not_met' },
      ],
    },
  });
});

it('a listing that changed stays in a view that marks changes, and is marked', async () => {
  const directory = await open([shop('1.0.1'), other], ours({ on_change: 'mark' }));
  expect(await policyOf(directory)).toEqual([allowed, null]);
  expect(await text(directory, '/views/ours')).toContain(
    '<strong>Changed:</strong> Approved on 2026-11-01 with version “1.0.0”; it is “1.0.1”',
  );
});

it('an approval ends after its last day, and no earlier', async () => {
  const until = new Date().toISOString().slice(0, 10);
  const directory = await open([shop()], ours({}, [{ ...approval, until }]));
  expect(await policyOf(directory)).toEqual([allowed, null]);
  directory.wait(86_400);
  await directory.judgeViews();
  expect(await policyOf(directory)).toEqual([none, '1']);
  expect(await text(directory, '/views/ours')).toContain(`That ended after ${until}.`);
});

it('a withdrawn listing, one that the operator acted on, and one that misses a criterion are not in it', async () => {
  const directory = await open([shop()], ours());
  await directory.importEntries([
    shop('1.0.0', {}, { status: 'deleted', updatedAt: '2026-11-20T08:00:00Z' }),
  ]);
  await directory.judgeViews();
  expect(await policyOf(directory)).toEqual([none, '1']);
  expect(await text(directory, '/views/ours')).toContain('It is not listed.');
  const strict = await open([shop()], ours({ criteria: [{ criterion: 'claimed' }] }));
  expect(await policyOf(strict)).toEqual([none, '1']);
  expect(await text(strict, '/views/ours')).toContain('This listing is not claimed.');
});

it('a pin of what only checks see does not break while nothing is known', async () => {
  const pins = { tools: ['https://mcp.example.com/mcp 0123'] };
  const directory = await open([shop()], ours({}, [{ ...approval, pins }]));
  expect(await policyOf(directory)).toEqual([allowed, null]);
  expect(await text(directory, '/views/ours')).toContain('Not known: Approved with tools');
});

it.each([
  ['neither criteria nor approvals', { title: 'Ours' }, 'name criteria, approvals or both'],
  ['a pin that there is not', { title: 'Ours', approvals: [{ ...approval, pins: { colour: 'x' } }] }, 'pins'],
  ['no reason', { title: 'Ours', approvals: [{ ...approval, reason: '' }] }, 'reason'],
])('a file with %s stops the start with 78 and one line', async (_, view, why) => {
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ ours: view }));
  const { code, stderr } = await runDossier(['config'], { VIEWS: wrong });
  expect([code, stderr]).toEqual([78, expect.stringMatching(/^VIEWS: .*wrong\.json: [^\n]+\n$/)]);
  expect(stderr).toContain(why);
});
