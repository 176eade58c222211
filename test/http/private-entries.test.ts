import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readAllRows } from '../support/all-rows.ts';
import { runDossier, startDossier } from '../support/command.ts';
import { createSharedDatabase } from '../support/database.ts';
import type { Directory } from '../support/directory.ts';
import { readDoors, readExport } from '../support/doors.ts';
import { packageAt, type RegistryEntry, registryEntry, remotesAt } from '../support/entries.ts';
import { openedDirectory, openFolder } from '../support/opened.ts';

const top = openFolder();

const key = 'a-key-of-the-readers-of-this-view-0123456789';
const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const withKey = { headers: { authorization: `Bearer ${key}` } };

let folders = 0;
/** A folder with these files, as objects or texts. */
function makeFolder(files: Readonly<Record<string, object | string>>): string {
  const folder = join(top, `folder-${folders++}`);
  mkdirSync(folder);
  for (const [path, content] of Object.entries(files)) write(join(folder, path), content);
  return folder;
}
function write(file: string, content: object | string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const payroll = {
  name: 'com.acme.zqinner/payroll',
  description: 'Pays the salaries zqsecretword.',
  version: '1.0.0',
  ...remotesAt('http://payroll.corp:8080/mcp'),
};
const box = {
  name: 'com.acme.zqinner/box',
  description: 'Keeps files zqsecretword.',
  version: '2.0.0',
  ...packageAt('oci', 'registry.corp:5000/box:2.0.0', '2.0.0'),
};
const shop = (more = {}) =>
  registryEntry('com.example/shop', {
    ...remotesAt('https://mcp.example.com/mcp'),
    ...more,
  });

const keyed = { zqview: { title: 'Inner zqsecretword', readers: [digest('another'), digest(key)] } };

async function open(
  folder: string,
  { views = keyed as object, entries = [shop()] }: { views?: object; entries?: RegistryEntry[] } = {},
) {
  const file = join(top, `views-${folders++}.json`);
  writeFileSync(file, JSON.stringify(views));
  return openedDirectory({
    entries,
    environment: {
      VIEWS: file,
      PRIVATE_LISTINGS: folder,
      PUBLIC_URL: 'https://dossier.example',
      LIMITS: 'off',
    },
  });
}
/** Moves the monotonic clock forward, since files are read again only every two seconds. */
function pass(passed_ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passed_ms);
}
afterEach(() => void vi.restoreAllMocks());

const read = ({ app }: Directory, path: string, init: RequestInit = withKey) => app.request(path, init);
const json = async (directory: Directory, path: string) => (await read(directory, path)).json();
/** The records that the registry of the view lists to a reader. */
async function serversOf(directory: Directory): Promise<{ name: string }[]> {
  const list = await json(directory, '/views/zqview/v0.1/servers?limit=50&version=latest');
  return (list as { servers: { server: { name: string } }[] }).servers.map(({ server }) => server);
}
const text = async (directory: Directory, path: string) => (await read(directory, path)).text();

it('a reader gets the entries of the folder as page, registry, allow list and configuration', async () => {
  const directory = await open(makeFolder({ 'payroll/server.json': payroll, 'box.server.json': box }));
  const page = await text(directory, '/views/zqview');
  expect(page).toContain('Pays the salaries zqsecretword.');
  expect(page).toMatch(
    /This is a private entry from the file payroll\/server\.json of the operator of this service, last changed on \d{4}-\d\d-\d\d and read on \d{4}-\d\d-\d\d\. No registry that Dossier reads lists it, and Dossier has not checked it\./,
  );
  expect(page).toContain('2 in this view.');
  expect(page).not.toContain('/agents/com.acme.zqinner');
  expect(page).toContain('<li>Private entries of the operator, which no registry lists</li>');
  expect(page).toContain('<meta name="robots" content="noindex">');
  expect(await serversOf(directory)).toEqual([box, payroll]);
  const name = 'com.acme.zqinner%2Fpayroll';
  const one = await json(directory, `/views/zqview/v0.1/servers/${name}/versions/latest`);
  expect(one).toEqual({
    server: payroll,
    _meta: {
      'example.dossier/evidence': {
        origin: 'the file payroll/server.json of the operator of this service',
        changed_at: expect.any(String),
        read_at: expect.any(String),
        subject_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        note: expect.stringContaining('This is a private entry'),
        criteria: [],
      },
    },
  });
  expect(await json(directory, `/views/zqview/v0.1/servers/${name}/versions`)).toMatchObject({
    servers: [{ server: payroll }],
  });
  expect(await json(directory, '/views/zqview/managed-settings.json')).toEqual({
    allowedMcpServers: [
      { serverCommand: ['docker', 'run', '-i', '--rm', 'registry.corp:5000/box:2.0.0'] },
      { serverUrl: 'http://payroll.corp:8080/mcp' },
    ],
  });
  expect(await json(directory, '/views/zqview/.mcp.json')).toEqual({
    mcpServers: {
      'acme-zqinner-box': { command: 'docker', args: ['run', '-i', '--rm', 'registry.corp:5000/box:2.0.0'] },
      'acme-zqinner-payroll': { type: 'http', url: 'http://payroll.corp:8080/mcp' },
    },
  });
  // A listing that anybody published is in it by no criterion of its own.
  expect((await read(directory, '/views/zqview/v0.1/servers/com.example%2Fshop')).status).toBe(404);
});

/**
 * What differs between two answers only because of when they were made, or because they repeat what was
 * asked.
 */
const plain = (answer: string, asked: readonly string[]) =>
  asked
    .reduce((rest, one, at) => rest.replaceAll(one, `ASKED${at}`), answer)
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d.:]*/g, 'TIME');

async function answerTo(directory: Directory, path: string, init: RequestInit, asked: readonly string[]) {
  const answer = await directory.app.request(path, init);
  const headers = [...answer.headers].filter(([name]) => name !== 'x-request-id' && name !== 'etag');
  return [answer.status, headers, plain(await answer.text(), asked)];
}

it('for everybody else it is not there: each answer is that to a name that there never was', async () => {
  const directory = await open(makeFolder({ 'server.json': payroll }));
  // What a reader was answered is in no cache.
  for (const end of ['', '/v0.1/servers', '/managed-settings.json', '/.mcp.json']) {
    const answer = await read(directory, `/views/zqview${end}`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  }
  const server = '/v0.1/servers/com.acme.zqinner%2Fpayroll';
  const ends = [
    '',
    '/v0.1/servers',
    server,
    `${server}/versions`,
    `${server}/versions/latest`,
    '/v0/servers',
    '/managed-settings.json',
    '/.mcp.json',
    '/feed.atom',
    '/feed.json',
    '/other',
  ];
  const strangers: RequestInit[] = [
    {},
    { method: 'HEAD' },
    { method: 'OPTIONS' },
    { method: 'POST' },
    { headers: { accept: 'text/html' } },
    { headers: { authorization: `Bearer ${key}x` } },
    { headers: { authorization: `Basic ${btoa(`a:${key}`)}` } },
    { headers: { authorization: `Bearer ${digest(key)}` } },
    { headers: { 'x-agent-capability': 'wrong', authorization: `Bearer ${key}` } },
    { headers: { 'if-none-match': '*' } },
  ];
  for (const end of ends)
    for (const init of strangers)
      expect(
        await answerTo(directory, `/views/zqview${end}`, init, ['zqview']),
        `${end} ${init.method}`,
      ).toEqual(await answerTo(directory, `/views/zqnone${end}`, init, ['zqnone']));
  // Feeds and webhooks of it are nobody's, its readers included.
  for (const end of ['/feed.atom', '/feed.json'])
    expect((await read(directory, `/views/zqview${end}`)).status).toBe(404);
  const hook = (view: string) => ({
    method: 'POST',
    headers: { ...withKey.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example.com/', view }),
  });
  expect(await answerTo(directory, '/api/webhooks', hook('zqview'), ['zqview'])).toEqual(
    await answerTo(directory, '/api/webhooks', hook('zqnone'), ['zqnone']),
  );
});

it('no page, document, tool, resource, dump, log, metric or table shows a word of it, or treats its name as known', async () => {
  const directory = await open(makeFolder({ 'server.json': payroll, 'a/server.json': box }));
  expect(await text(directory, '/views/zqview/v0.1/servers')).toContain('zqsecretword');
  await directory.judgeViews();
  const asked = {
    handles: ['com.acme.zqinner/payroll'],
    query: 'payroll salaries',
    view: 'zqview',
    tag: 'remote',
  };
  const other = { ...asked, handles: ['com.acme.zqouter/payroll'], view: 'zqnone' };
  const doors = await readDoors(directory, asked);
  const others = [...(await readDoors(directory, other))];
  expect(doors.size).toBeGreaterThan(60);
  for (const [at, [door, answer]] of [...doors].entries()) {
    expect(answer, door).not.toContain('zqsecretword');
    const [otherDoor = '', otherAnswer = ''] = others[at] ?? [];
    expect([plain(door, ['zqinner', 'zqview']), plain(answer, ['zqinner', 'zqview'])]).toEqual([
      plain(otherDoor, ['zqouter', 'zqnone']),
      plain(otherAnswer, ['zqouter', 'zqnone']),
    ]);
  }
  // Every route that is registered, with what the folder has in place of each parameter.
  const values: Record<string, string> = {
    namespace: 'com.acme.zqinner',
    name: 'payroll',
    view: 'zqview',
    tag: 'zqsecretword',
  };
  const routes = new Set(
    directory.app.routes.map(({ path }) => path.replaceAll(/:(\w+)[^/]*/g, (_, name) => values[name] ?? '0')),
  );
  expect(routes.size).toBeGreaterThan(70);
  for (const path of routes) {
    if (path.includes('*')) continue;
    const answer = await directory.app.request(`${path}?q=payroll+salaries&search=payroll`);
    if (!path.includes('zqsecretword')) expect(await answer.text(), path).not.toContain('zqsecretword');
    expect([answer.status, path]).not.toEqual([500, path]);
  }
  expect(await readExport(directory)).not.toContain('acme');
  for (const path of ['/ard/search', '/ard/explore']) {
    const answer = await directory.post(path, { query: { text: 'pays the salaries' } });
    expect(await answer.text(), path).not.toMatch(/acme|zqsecretword/);
  }
});

it('is in no table, log line or metric of a service that runs, and behind its door in no cache', async () => {
  const folder = makeFolder({ 'a/server.json': payroll, 'bad/server.json': '{"zqsecretword"' });
  const at = makeFolder({ 'registry.json': [shop()], 'views.json': keyed });
  const DATABASE_URL = await createSharedDatabase(at);
  const serving = startDossier(['serve'], {
    DATABASE_URL,
    REGISTRY_URL: `file:${join(at, 'registry.json')}`,
    PRIVATE_LISTINGS: folder,
    VIEWS: join(at, 'views.json'),
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'trace',
    LOG_FORMAT: 'json',
  });
  let log = '';
  serving.child.stderr?.on('data', (lines: string) => {
    log += lines;
  });
  const url = await serving.line(/^listening on (.+)$/m);
  await expect.poll(async () => (await fetch(`${url}/agents/com.example/shop`)).status).toBe(200);
  for (const end of ['', '/v0.1/servers', '/managed-settings.json']) {
    const address = `${url}/views/zqview${end}`;
    for (let time = 0; time < 2; time += 1) {
      const answer = await fetch(address, withKey);
      const tag = answer.headers.get('etag') ?? '';
      expect([answer.status, (await answer.text()).includes('payroll')]).toEqual([200, true]);
      expect((await fetch(address, { headers: { 'if-none-match': tag } })).status).toBe(404);
      expect((await fetch(address)).status).toBe(404);
    }
  }
  const [, metrics = ''] = /"url":"([^"]+)\/metrics"/.exec(log) ?? [];
  expect(await (await fetch(`${metrics}/metrics`)).text()).not.toMatch(/zqsecretword|payroll/);
  serving.child.kill('SIGTERM');
  const { code, stdout, stderr } = await serving.ended;
  expect([code, stdout + stderr]).toEqual([0, expect.not.stringMatching(/zqsecretword|payroll/)]);
  expect(stderr).toMatch(/"entries":1,"faults":1,"msg":"private entries were read"/);
  expect(stderr).toContain(
    'PRIVATE_LISTINGS: bad/server.json: not JSON in UTF-8; correct the file, or take it out of the folder',
  );
  expect(JSON.stringify(await readAllRows(DATABASE_URL))).not.toMatch(/zqsecretword|acme/);
});

it('a view with approvals has approved entries and listings alone, and a changed file breaks its pins', async () => {
  const folder = makeFolder({ 'server.json': payroll, 'a/server.json': box });
  const views = join(
    makeFolder({ 'views.json': { zqview: { ...keyed.zqview, approvals: [] } } }),
    'views.json',
  );
  const approve = (...args: string[]) =>
    runDossier(['approve', '--view', 'zqview', '--by', 'Ada', '--reason', 'work', ...args], {
      VIEWS: views,
      PRIVATE_LISTINGS: folder,
    });
  const { code, stdout } = await approve('com.acme.zqinner/payroll');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      private: true,
      pins: { version: ['1.0.0'], endpoint: ['http://payroll.corp:8080/mcp'], package: [] },
    },
  ]);
  const shared = join(makeFolder({ 'views.json': { ours: { title: 'Ours', approvals: [] } } }), 'views.json');
  expect(await approve('com.acme.zqinner/payroll', '--views', shared, '--view', 'ours')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('ours: it approves a private entry, whose name everybody could read'),
  });
  expect(await approve('com.acme.zqinner/payroll', '--pin', 'tools')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('tools cannot be pinned'),
  });
  const { zqview } = JSON.parse(await (await import('node:fs/promises')).readFile(views, 'utf8'));
  const listed = {
    handle: 'com.example/shop',
    by: 'Ada',
    reason: 'shop',
    on: '2026-11-01',
    pins: { endpoint: ['https://mcp.example.com/mcp'] },
  };
  const gone = { ...listed, handle: 'com.acme.zqinner/gone' };
  const approvals = [...zqview.approvals, listed, gone];
  const directory = await open(folder, { views: { zqview: { ...zqview, approvals } } });
  const allowed = async () => {
    const answer = await read(directory, '/views/zqview/managed-settings.json');
    const { allowedMcpServers } = (await answer.json()) as { allowedMcpServers: { serverUrl: string }[] };
    return [allowedMcpServers.map(({ serverUrl }) => serverUrl), answer.headers.get('dossier-lapsed')];
  };
  const shopUrl = 'https://mcp.example.com/mcp';
  expect(await allowed()).toEqual([['http://payroll.corp:8080/mcp', shopUrl], '1']);
  const page = await text(directory, '/views/zqview');
  expect(page).toContain('<li>com.acme.zqinner/gone: <span class="foreign">It is not listed.</span></li>');
  expect(page).not.toContain('com.acme.zqinner/box');
  write(join(folder, 'server.json'), { ...payroll, version: '1.0.1' });
  await expect.poll(allowed).toEqual([[shopUrl], '2']);
  expect(await text(directory, '/views/zqview')).toContain(
    'with version “1.0.0”; the record that was last updated on',
  );
  // Nothing of it is a change that others read.
  await directory.judgeViews();
  const { app } = directory;
  expect(await (await app.request('/changes?since=0')).text()).not.toContain('view.');
});

it('a file that goes takes its entry along; a folder that cannot be read leaves them as they were', async () => {
  const folder = makeFolder({ 'server.json': payroll, 'a/server.json': box });
  const directory = await open(folder);
  const names = async () => {
    return (await serversOf(directory)).map(({ name }) => name);
  };
  expect(await names()).toEqual(['com.acme.zqinner/box', 'com.acme.zqinner/payroll']);
  rmSync(join(folder, 'a'), { recursive: true });
  await expect.poll(names).toEqual(['com.acme.zqinner/payroll']);
  rmSync(folder, { recursive: true });
  pass(2500);
  expect(await names()).toEqual(['com.acme.zqinner/payroll']);
  const absent = await open(join(top, 'absent'));
  expect((await read(absent, '/views/zqview')).status).toBe(503);
  expect((await absent.app.request('/views/zqview')).status).toBe(404);
});

it('a name that a registry lists too is in no view, and the listing is as it was', async () => {
  const inFolder = { ...payroll, name: 'com.example/shop', description: 'zqsecretword' };
  const folder = makeFolder({ 'server.json': inFolder });
  const approvals = [{ handle: 'com.example/shop', by: 'Ada', reason: 'shop', on: '2026-11-01' }];
  for (const more of [{}, { approvals }]) {
    const directory = await open(folder, { views: { zqview: { ...keyed.zqview, ...more } } });
    expect(await json(directory, '/views/zqview/managed-settings.json')).toEqual({ allowedMcpServers: [] });
    expect(await text(directory, '/views/zqview')).toContain(
      'A registry has or had a listing of this name. Neither the listing nor the private entry is used, because readers would take the publisher of the listing for you. Give the entry another name.',
    );
    const page = await (await directory.app.request('/agents/com.example/shop')).text();
    expect([page.includes('A plain description'), page.includes('zqsecretword')]).toEqual([true, false]);
  }
  const at = makeFolder({ 'registry.json': [shop()] });
  const environment = {
    DATABASE_URL: `file:${join(at, 'dossier.db')}`,
    REGISTRY_URL: `file:${join(at, 'registry.json')}`,
    PRIVATE_LISTINGS: folder,
  };
  const imported = await runDossier(['import'], environment);
  expect([imported.code, imported.stdout]).toEqual([
    0,
    expect.stringContaining('private entries: 1 read, 0 not\n'),
  ]);
  expect((await runDossier(['doctor'], environment)).stdout).toContain(
    'warning private entries: a registry has, or had, a listing com.example/shop\n',
  );
});

it('an approval of an entry lets no listing of its name in while its file cannot be read, and none of a listing an entry', async () => {
  const folder = makeFolder({ 'server.json': '{', 'a/server.json': box });
  const given = { by: 'Ada', reason: 'work', on: '2026-11-01' };
  const approvals = [
    { handle: 'com.example/shop', private: true, ...given },
    { handle: 'com.acme.zqinner/box', ...given },
  ];
  const directory = await open(folder, { views: { zqview: { ...keyed.zqview, approvals } } });
  const answer = await read(directory, '/views/zqview/managed-settings.json');
  expect([await answer.json(), answer.headers.get('dossier-lapsed')]).toEqual([
    { allowedMcpServers: [] },
    '2',
  ]);
  const page = await text(directory, '/views/zqview');
  expect(page).toContain('The approval is of a private entry, and no readable file has this name now.');
  expect(page).toContain('The approval is of a listing, and this is a private entry.');
  expect(await serversOf(directory)).toEqual([]);
});

it('an allow list has no pattern, however a file escapes one, and a file that did not change is not read again', async () => {
  const url = (host: string) => ({ type: 'streamable-http', url: `https://${host}/mcp` });
  const remotes = [url('%2A'), url('\uff0a.corp'), url('%7Bhost%7D.corp'), url('payroll.corp')];
  const directory = await open(makeFolder({ 'server.json': { ...payroll, remotes } }));
  const answer = await read(directory, '/views/zqview/managed-settings.json');
  expect([await answer.json(), answer.headers.get('dossier-left-out-parts')]).toEqual([
    { allowedMcpServers: [{ serverUrl: 'https://payroll.corp/mcp' }] },
    '3',
  ]);
  const first = await text(directory, '/views/zqview/v0.1/servers');
  pass(2500);
  expect(await text(directory, '/views/zqview/v0.1/servers')).toBe(first);
});

it('names each file that it cannot take with what to do, follows no link out, and takes the others', async () => {
  const outside = makeFolder({ 'server.json': { ...payroll, name: 'com.acme.zqinner/outside' } });
  const folder = makeFolder({
    'a/b/c/server.json': payroll,
    'twice/server.json': payroll,
    'text/server.json': 'zqsecretword',
    'type/server.json': { ...payroll, name: 'com.acme.zqinner/type', remotes: 'none' },
    'name/server.json': { ...payroll, name: 'payroll' },
    'large/server.json': { ...payroll, name: 'com.acme.zqinner/large', description: 'x'.repeat(70_000) },
    '.git/server.json': { ...payroll, name: 'com.acme.zqinner/git' },
    'node_modules/x/server.json': { ...payroll, name: 'com.acme.zqinner/modules' },
    'package.json': { name: 'other' },
    '1/2/3/4/5/6/7/8/9/server.json': { ...payroll, name: 'com.acme.zqinner/deep' },
    '1/2/3/4/5/6/7/8/10/other.json': {},
    '1/2/3/4/5/6/7/8/11/other.json': {},
    // As Kubernetes mounts a ConfigMap.
    '..data/box.json': box,
  });
  symlinkSync(join('..data', 'box.json'), join(folder, 'box.server.json'));
  symlinkSync(join(outside, 'server.json'), join(folder, 'out.server.json'));
  symlinkSync(outside, join(folder, 'outside'));
  symlinkSync('nowhere', join(folder, 'broken.server.json'));
  // To open one waits for a writer, and holds one of four threads meanwhile.
  for (let pipes = 0; pipes < 5; pipes += 1)
    execFileSync('mkfifo', [join(folder, `pipe-${pipes}.server.json`)]);
  const directory = await open(folder);
  expect(await serversOf(directory)).toEqual([box, payroll]);
  const at = makeFolder({ 'registry.json': [shop()] });
  const environment = {
    DATABASE_URL: `file:${join(at, 'dossier.db')}`,
    REGISTRY_URL: `file:${join(at, 'registry.json')}`,
    PRIVATE_LISTINGS: folder,
  };
  const { code, stdout, stderr } = await runDossier(['import'], environment);
  const next = 'correct the file, or take it out of the folder';
  expect([code, stdout]).toEqual([0, expect.stringContaining('private entries: 2 read, 13 not\n')]);
  expect(
    stderr
      .split('\n')
      .filter((line) => line.startsWith('PRIVATE_LISTINGS'))
      .sort(),
  ).toEqual([
    'PRIVATE_LISTINGS: 1/2/3/4/5/6/7/8/10 and 2 more: not read, more than 8 folders deep; move the entries up',
    `PRIVATE_LISTINGS: broken.server.json: cannot be read (ENOENT); ${next}`,
    `PRIVATE_LISTINGS: large/server.json: larger than 64 KiB; ${next}`,
    `PRIVATE_LISTINGS: name/server.json: name or version missing or malformed; ${next}`,
    `PRIVATE_LISTINGS: out.server.json: a link that leads out of the folder; ${next}`,
    ...[0, 1, 2, 3, 4].map(
      (pipe) => `PRIVATE_LISTINGS: pipe-${pipe}.server.json: a folder, pipe or device; ${next}`,
    ),
    `PRIVATE_LISTINGS: text/server.json: not JSON in UTF-8; ${next}`,
    `PRIVATE_LISTINGS: twice/server.json: another file of the folder has the same name; ${next}`,
    `PRIVATE_LISTINGS: type/server.json: remotes[] is missing, written twice or of the wrong type; ${next}`,
  ]);
});

it('everybody reads a view that says so, which is listed nowhere; criteria that its file cannot answer do not apply', async () => {
  const criteria = [{ criterion: 'transport', value: 'streamable-http' }];
  const directory = await open(makeFolder({ 'server.json': payroll, 'a/server.json': box }), {
    views: {
      zqview: { title: 'Inner', readers: 'everyone', criteria },
      strict: { title: 'Strict', readers: 'everyone', criteria: [{ criterion: 'active' }] },
    },
  });
  const answer = await directory.app.request('/views/zqview/v0.1/servers');
  expect(answer.headers.get('cache-control')).toBe('private, no-cache');
  const { servers } = (await answer.json()) as { servers: { server: object; _meta: object }[] };
  expect(servers).toMatchObject([
    {
      server: payroll,
      _meta: {
        'example.dossier/evidence': {
          criteria: [
            {
              criterion: 'transport',
              result: 'met',
              fact: expect.stringMatching(/^Transport streamable-http recorded: met\. /),
            },
          ],
        },
      },
    },
  ]);
  const strict = await (await directory.app.request('/views/strict')).text();
  expect(strict).toContain('Listed as active: does not apply (the file of the operator cannot state it).');
  expect(strict).toContain('Nothing is in this view now.');
  // No approval of theirs has lapsed.
  const policy = await directory.app.request('/views/strict/managed-settings.json');
  expect([await policy.json(), policy.headers.get('dossier-lapsed')]).toEqual([
    { allowedMcpServers: [] },
    null,
  ]);
  for (const path of ['/views', '/', '/sitemap.xml', '/llms.txt'])
    expect(await (await directory.app.request(path)).text(), path).not.toMatch(/views\/zqview|acme/);
});

it.each([
  [
    'a digest in another form',
    { title: 'T', readers: ['abc'] },
    'readers: "everyone", or a list of keys, each as sha256: and 64 hex digits',
  ],
  ['a key that is only a word', { title: 'T', readers: 'all' }, 'readers: "everyone", or a list'],
  [
    'no folder',
    { title: 'T', readers: 'everyone' },
    'it lists private entries, but PRIVATE_LISTINGS is not set',
  ],
  [
    'an approval of a private entry, and none of them',
    {
      title: 'T',
      approvals: [{ handle: 'com.acme/x', private: true, by: 'Ada', reason: 'work', on: '2026-11-01' }],
    },
    'it approves a private entry, whose name everybody could read: add readers to the view',
  ],
])('readers with %s stop the start with 78 and one line', async (_, view, why) => {
  const VIEWS = join(makeFolder({ 'views.json': { zqview: view } }), 'views.json');
  const { code, stderr } = await runDossier(['config'], { VIEWS });
  expect([code, stderr]).toEqual([78, expect.stringMatching(/^VIEWS: [^\n]+\n$/)]);
  expect(stderr).toContain(why);
});

it('doctor names an approval that shows a private name to everybody', async () => {
  const approvals = [{ handle: 'com.acme.zqinner/payroll', by: 'Ada', reason: 'work', on: '2026-11-01' }];
  const VIEWS = join(makeFolder({ 'views.json': { ours: { title: 'Ours', approvals } } }), 'views.json');
  const { stdout } = await runDossier(['doctor'], {
    VIEWS,
    PRIVATE_LISTINGS: makeFolder({ 'server.json': payroll }),
    REGISTRY_URL: 'off',
    DATABASE_URL: `file:${join(makeFolder({}), 'none.db')}`,
  });
  expect(stdout).toContain('ok      private entries: 1 file can be read\n');
  expect(stdout).toContain(
    'FAULT   private entries: com.acme.zqinner/payroll in ours is approved in a view that everybody reads\n',
  );
});
