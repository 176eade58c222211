import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Directory, openDirectory } from '../support/directory.ts';
import { startEndpoint } from '../support/endpoints/mcp-endpoint.ts';
import { type RegistryEntry, registryEntry, seedEntries } from '../support/entries.ts';
import { openedDirectory, openedEndpoint } from '../support/opened.ts';
import { readRealEntries } from '../support/registry-entries.ts';

const official = 'io.modelcontextprotocol.registry/official';
const publisher = 'io.modelcontextprotocol.registry/publisher-provided';
type Entry = { server: Record<string, unknown>; _meta: Record<string, Record<string, unknown>> };
interface List {
  servers: Entry[];
  metadata: { nextCursor?: string; count: number };
}

const starred = registryEntry('com.example/starred', {
  repository: { url: 'https://github.com/example/starred', source: 'github' },
  _meta: {
    'example.dossier/evidence': { native: { independent: 120 } },
    [publisher]: {
      github: { stars: 99_999 },
      keywords: ['webhooks'],
      'example.dossier/evidence': { native: { independent: 120 } },
    },
  },
});
const older = (version: string, at: string) =>
  registryEntry(
    'com.example/versions',
    { version },
    { isLatest: version === '2.0.0', publishedAt: at, updatedAt: at },
  );
const entries: RegistryEntry[] = [
  ...seedEntries,
  starred,
  older('1.0.0', '2026-08-01T08:00:00Z'),
  older('2.0.0', '2026-09-01T08:00:00Z'),
  registryEntry('com.example/gone', {}, { status: 'deleted', updatedAt: '2026-10-05T08:00:00Z' }),
  ...Array.from({ length: 60 }, (_, n) =>
    registryEntry(`com.example.many/n${String(n).padStart(2, '0')}`, {
      description: 'Sends parcels by bicycle',
    }),
  ),
];

const directory = await openedDirectory({
  entries,
  environment: { PUBLIC_URL: 'https://dossier.example', LIMITS: 'off' },
});

const get = async (path: string) => directory.app.request(path);
const list = async (path: string) => (await (await get(path)).json()) as List;
const names = ({ servers }: List) => servers.map(({ server }) => `${server.name}@${server.version}`);

/** Follows cursors as VS Code does: unencoded, and without the search on later pages. */
async function walk(base: string, first: string): Promise<Entry[]> {
  const found: Entry[] = [];
  let page = await list(`${base}?${first}`);
  found.push(...page.servers);
  while (page.metadata.nextCursor) {
    expect(page.metadata.nextCursor).toMatch(/^[A-Za-z0-9_-]+$/);
    page = await list(`${base}?limit=50&version=latest&cursor=${page.metadata.nextCursor}`);
    found.push(...page.servers);
  }
  return found;
}

describe('the requests of VS Code', () => {
  it('probe the base, list the newest versions, and follow the cursor to the end', async () => {
    const probe = await get('/v0.1/servers?limit=1');
    expect([probe.status, probe.headers.get('content-type')]).toEqual([200, 'application/json']);
    const all = await walk('/v0.1/servers', 'limit=50&version=latest');
    expect(all).toHaveLength(64);
    expect(new Set(all.map(({ server }) => server.name)).size).toBe(64);
    expect(
      all.every(({ server, _meta }) => typeof server.description === 'string' && typeof _meta === 'object'),
    ).toBe(true);
  });
  it('keep the search over pages although later requests leave it out', async () => {
    const found = await walk('/v0.1/servers', 'limit=50&version=latest&search=Example.MANY');
    expect(found).toHaveLength(60);
    expect(new Set(found.map(({ server }) => server.description))).toEqual(
      new Set(['Sends parcels by bicycle']),
    );
  });
  it('ask for one by its encoded name: the newest version, or 404 for "not in the registry"', async () => {
    const answer = await get('/v0.1/servers/co.webhook%2Fwebhook/versions/latest');
    const { server } = (await answer.json()) as Entry;
    expect(server).toMatchObject({
      name: 'co.webhook/webhook',
      remotes: [{ type: 'streamable-http', url: 'https://mcp.webhook.co/mcp' }],
    });
    const none = await get('/v0.1/servers/com.example%2Fnone/versions/latest');
    expect([none.status, await none.json()]).toEqual([404, { error: 'Server or version not found' }]);
  });
  it('are answered at /v0 alike, with the headers that GitHub asks for', async () => {
    expect(names(await list('/v0/servers?limit=5'))).toEqual(names(await list('/v0.1/servers?limit=5')));
    for (const path of [
      '/v0.1/servers',
      '/v0.1/servers/co.webhook%2Fwebhook/versions/latest',
      '/v0.1/servers/x%2Fy/versions',
    ])
      expect((await get(path)).headers.get('access-control-allow-origin')).toBe('*');
    const preflight = await directory.app.request('/v0.1/servers', { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, OPTIONS');
  });
});

it('the requests of other clients are answered with a slash at the end, and below a base that ends in one', async () => {
  const plain = await list('/v0.1/servers?limit=3&version=latest');
  for (const path of ['/v0.1/servers/', '//v0.1/servers', '//v0.1//servers/', '/v0/servers/'])
    expect(await list(`${path}?limit=3&version=latest`), path).toEqual(plain);
  const one = await list('/v0.1/servers/co.webhook%2Fwebhook/versions/latest/');
  expect(one).toMatchObject({ server: { name: 'co.webhook/webhook' } });
  expect((await get('//agents')).status).toBe(404);
});

describe('the list', () => {
  it('has every version without a version, and those of one name', async () => {
    expect(names(await list('/v0.1/servers?limit=100&search='))).toContain('com.example/versions@1.0.0');
    expect(names(await list('/v0.1/servers?version=2.0.0'))).toEqual(['com.example/versions@2.0.0']);
  });
  it('has deleted entries if asked, the newest of a listing as its latest', async () => {
    expect(names(await list('/v0.1/servers?limit=100'))).not.toContain('com.example/gone@1.0.0');
    for (const query of ['include_deleted=true', 'updated_since=2026-01-01T00:00:00Z']) {
      const { servers } = await list(`/v0.1/servers?limit=100&version=latest&${query}`);
      const gone = servers.find(({ server }) => server.name === 'com.example/gone');
      expect(gone?._meta[official]).toMatchObject({ status: 'deleted', isLatest: true });
    }
    const path = '/v0.1/servers/com.example%2Fgone/versions/latest';
    expect((await get(path)).status).toBe(404);
    expect((await get(`${path}?include_deleted=true`)).status).toBe(200);
  });
  it('finds by a part of the name and nothing else, in capitals or not, whatever the filter', async () => {
    for (const text of ['ersion', 'ERSIONS', 'example/versions', 'com.example/vers'])
      expect(names(await list(`/v0.1/servers?search=${encodeURIComponent(text)}`)), text).toEqual([
        'com.example/versions@1.0.0',
        'com.example/versions@2.0.0',
      ]);
    for (const [filter, found] of [
      ['version=latest', ['com.example/versions@2.0.0']],
      ['version=1.0.0', ['com.example/versions@1.0.0']],
      ['version=3.0.0', []],
      ['updated_since=2100-01-01T00:00:00Z', []],
    ] as const)
      expect(names(await list(`/v0.1/servers?search=versions&${filter}`)), filter).toEqual(found);
    expect(names(await list('/v0.1/servers?search=bicycle'))).toEqual([]);
    const first = await list('/v0.1/servers?search=example.many&version=1.0.0&limit=50');
    const second = await list(`/v0.1/servers?limit=50&cursor=${first.metadata.nextCursor}`);
    expect(new Set([...names(first), ...names(second)]).size).toBe(60);
    expect(second.metadata.nextCursor).toBeUndefined();
  });
  it('finds deleted entries by their name too, if asked for them', async () => {
    for (const query of ['include_deleted=true', 'updated_since=2026-01-01T00:00:00Z'])
      expect(names(await list(`/v0.1/servers?search=EXAMPLE%2Fgone&${query}`))).toEqual([
        'com.example/gone@1.0.0',
      ]);
    for (const query of ['search=gone', 'search=gone&updated_since=2100-01-01T00:00:00Z'])
      expect(names(await list(`/v0.1/servers?${query}`))).toEqual([]);
    for (const text of ['%25', '_', 'gone_too', '%E6%97%A5', "'"])
      expect(names(await list(`/v0.1/servers?search=${text}&include_deleted=true`)), text).toEqual([]);
  });
  it('has what became visible here since a time, whatever its own date, and as deleted what was withdrawn here', async () => {
    const changing = await openedDirectory({ entries: [...seedEntries, starred] });
    const changesSince = async (time: string) => {
      const answer = await changing.app.request(`/v0.1/servers?updated_since=${time}&limit=100`);
      const { servers } = (await answer.json()) as List;
      return servers.map(({ server, _meta }) => [server.name, _meta[official]?.status]);
    };
    const pass = () => {
      changing.wait(600);
      return changing.context.clock().toISOString();
    };
    const since = pass();
    expect(await changesSince(since)).toEqual([]);
    const old = { publishedAt: '2025-01-01T00:00:00Z', updatedAt: '2025-01-01T00:00:00Z' };
    const late = registryEntry('com.example/late', {}, old);
    await changing.importEntries([...seedEntries, starred, late]);
    expect(await changesSince(since)).toEqual([['com.example/late', 'active']]);
    const next = pass();
    await changing.act('withdraw', 'com.example/starred', 'malicious');
    expect(await changesSince(next)).toEqual([['com.example/starred', 'deleted']]);
    const all = await (await changing.app.request('/v0.1/servers?limit=100&include_deleted=true')).text();
    expect(all).not.toContain('https://github.com/example/starred');
    const last = pass();
    await changing.restore('com.example/starred');
    expect(await changesSince(last)).toEqual([['com.example/starred', 'active']]);
  });
  it('refuses what it cannot read with a sentence', async () => {
    for (const query of ['limit=none', 'limit=0', 'updated_since=yesterday', 'cursor=abc'])
      expect((await get(`/v0.1/servers?${query}`)).status, query).toBe(422);
  });
  it('refuses cursors that it did not make, and finds nothing by a NUL', async () => {
    const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const after = { handle: '\0', version: '\0', listed_at: '\0' };
    const forged = [
      ['not JSON'],
      ['null'],
      ['{"withDeleted":1}'],
      [JSON.stringify({ withDeleted: true, after })],
      [JSON.stringify({ withDeleted: true, updatedSince: '\0' })],
      [JSON.stringify({ withDeleted: true, version: '\0' })],
    ];
    for (const value of forged)
      expect((await get(`/v0.1/servers?cursor=${cursorOf(value)}`)).status, value[0]).toBe(422);
    for (const query of ['search=%00', 'search=a%00b', 'version=%00']) {
      const answer = await get(`/v0.1/servers?${query}`);
      expect([answer.status, (await answer.json()) as List], query).toEqual([
        200,
        { servers: [], metadata: { count: 0 } },
      ]);
    }
    for (const path of ['/agents?q=%00', '/agents?q=a%00b']) expect((await get(path)).status, path).toBe(200);
    expect((await get('/changes?since=2147483648_0')).status).toBe(410);
  });
  it('answers 304 to a current ETag', async () => {
    const first = await get('/v0.1/servers?limit=2');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await directory.app.request('/v0.1/servers?limit=2', { headers })).status).toBe(304);
  });
  it('lists all versions of one server, newest first', async () => {
    const answer = await list('/v0.1/servers/com.example%2Fversions/versions');
    expect(names(answer)).toEqual(['com.example/versions@2.0.0', 'com.example/versions@1.0.0']);
    expect(answer.servers.map(({ _meta }) => _meta[official]?.isLatest)).toEqual([true, false]);
  });
});

describe('an entry', () => {
  it('has our evidence under the reversed name of our host, in at most 2 KB', async () => {
    const { servers } = await list('/v0.1/servers?limit=100&version=latest');
    const blocks = servers.map(({ _meta }) => _meta['example.dossier/evidence']);
    expect(blocks.every((block) => Buffer.byteLength(JSON.stringify(block)) <= 2048)).toBe(true);
    expect(blocks[0]).toMatchObject({
      evidence_ref: expect.stringMatching(/^https:\/\/dossier\.example\/agents\/.+\.json$/),
      claim: { state: 'imported' },
      native: { independent_sources: 0, independent: 0, ratings: 0 },
    });
  });
  it('says what the evidence is about and where it is, each with its digest, and until when its checks are current', async () => {
    const endpoint = await openedEndpoint((_body, _request, response) => void response.writeHead(404).end());
    const remotes = [{ type: 'streamable-http', url: 'https://seen.example.com/mcp' }];
    const seen = await openedDirectory({
      entries: [registryEntry('com.example/seen', { remotes }), registryEntry('com.example/unseen')],
      environment: {
        OBSERVE_INTERVAL: '12h',
        PUBLIC_URL: 'https://dossier.example',
        HOST_OVERRIDES: JSON.stringify({ 'seen.example.com': endpoint.url }),
      },
    });
    await seen.observe('com.example/seen');
    const read = async (path: string) => (await seen.app.request(path)).json();
    const digestOf = (value: unknown) => `sha256:${hash('sha256', canonicalize(value) ?? '')}`;
    const blockOf = async (name: string) => {
      const { server, _meta } = (await read(`/v0.1/servers/com.example%2F${name}/versions/latest`)) as Entry;
      const { subject_digest, evidence_digest, ...block } = _meta['example.dossier/evidence'] ?? {};
      expect(subject_digest).toBe(digestOf(server));
      expect(evidence_digest).toBe(digestOf(await read(`/agents/com.example/${name}.json`)));
      return block;
    };
    const block = await blockOf('seen');
    expect(block.evidence_ref).toBe('https://dossier.example/agents/com.example/seen.json');
    const checked_at = Date.parse(String(block.checked_at));
    expect(seen.context.clock().getTime() - checked_at).toBeLessThan(60_000);
    expect(Date.parse(String(block.fresh_until)) - checked_at).toBe(36 * 3_600_000);
    expect(Object.keys(await blockOf('unseen'))).not.toContain('checked_at');
  });
  it('leaves out the stars and the evidence that publishers write about themselves, and keeps the rest', async () => {
    const answer = await get('/v0.1/servers/com.example%2Fstarred/versions/latest');
    const { server } = (await answer.json()) as Entry;
    expect(server._meta).toEqual({ [publisher]: { keywords: ['webhooks'] } });
  });
});

it('does not list the shipped sample', async () => {
  const fresh = await openedDirectory({ entries: [] });
  const { importSample } = await import('../../src/app/import-schedule.ts');
  await importSample(fresh.context, new AbortController().signal);
  expect(await fresh.store.listings.count()).toBeGreaterThan(10);
  expect(await (await fresh.app.request('/v0.1/servers')).json()).toEqual({
    servers: [],
    metadata: { count: 0 },
  });
  expect((await fresh.app.request('/v0.1/servers/co.webhook%2Fwebhook/versions')).status).toBe(404);
});

/** The parts of the published schema that every answer must have, written down here. */
const entryForm = z.object({
  server: z.looseObject({ name: z.string().min(3), description: z.string(), version: z.string().min(1) }),
  _meta: z.looseObject({
    [official]: z.strictObject({
      status: z.enum(['active', 'deprecated', 'deleted']),
      statusMessage: z.string().optional(),
      publishedAt: z.iso.datetime(),
      updatedAt: z.iso.datetime(),
      isLatest: z.boolean(),
    }),
  }),
});
const listForm = z.strictObject({
  servers: z.array(entryForm),
  metadata: z.strictObject({ nextCursor: z.string().optional(), count: z.int() }),
});

it('answers as the OpenAPI file of the registry says', async () => {
  const all = await list('/v0.1/servers?limit=100&updated_since=2020-01-01T00:00:00Z');
  expect(listForm.safeParse(all).error).toBeUndefined();
  const one = await (await get('/v0.1/servers/com.example%2Fversions/versions/1.0.0')).json();
  expect(entryForm.safeParse(one).error).toBeUndefined();
});

it('is a registry that our own importer reads: every record arrives as it is stored here', async () => {
  const real = (readRealEntries() ?? []).slice(0, 600);
  const first = await openedDirectory({
    entries: [...entries, ...real],
    listening: true,
    environment: { LIMITS: 'off' },
  });
  const second = await openedDirectory({ entries: [], environment: { LIMITS: 'off' } });
  const { state } = await second.import({ source: first.url });
  expect(state).toBe('done');
  const stored = async ({ store }: Directory) => {
    const found = new Map<string, string>();
    for (let after: { handle: string; version: string; listed_at: string } | undefined; ; ) {
      const page = await store.listings.versionPage({
        after,
        limit: 500,
        version: undefined,
        updatedSince: undefined,
        withDeleted: false,
      });
      for (const { handle, version, record } of page)
        found.set(
          `${handle}@${version}`,
          canonicalize(JSON.parse(record.replace(/"github":\{"stars":\d+\},?/, ''))) ?? '',
        );
      const last = page.at(-1);
      if (page.length < 500 || !last) return found;
      after = last;
    }
  };
  const here = await stored(first);
  const there = await stored(second);
  expect(here.size).toBeGreaterThan(60);
  expect(there).toEqual(here);
});

it('has the size of the log and its checkpoint, and takes at most 2,048 bytes for the longest names', async () => {
  const gone = await startEndpoint((_body, _request, response) => void response.writeHead(404).end());
  const handle = `com.example/${'n'.repeat(188)}`;
  const path = 'p'.repeat(170);
  const long = await openDirectory({
    entries: [
      registryEntry(handle, {
        remotes: [{ type: 'streamable-http', url: `https://long.example.com/${path}` }],
        repository: { url: `https://github.com/example/${'r'.repeat(90)}`, source: 'github' },
      }),
    ],
    environment: {
      PUBLIC_URL: 'https://a-rather-long-name.dossier.example.org',
      LIMITS: 'off',
      HOST_OVERRIDES: JSON.stringify({ 'long.example.com': gone.url }),
      REPOSITORY_HOSTS: JSON.stringify({ 'github.com': { git: gone.url, raw: gone.url } }),
    },
  });
  await long.observe(handle);
  const { servers } = (await (await long.app.request('/v0.1/servers')).json()) as List;
  const block = servers[0]?._meta['org.example.dossier.a-rather-long-name/evidence'];
  await long.close();
  await gone.close();
  expect(Object.keys(block?.observations as object)).toEqual([
    'price',
    'endpoint',
    'tools',
    'auth',
    'repository',
  ]);
  expect(block?.log).toEqual({
    size: 1,
    checkpoint: 'https://a-rather-long-name.dossier.example.org/log/checkpoint',
  });
  expect(block?.evidence_ref).toBe(`https://a-rather-long-name.dossier.example.org/agents/${handle}.json`);
  expect(Buffer.byteLength(JSON.stringify(block))).toBeLessThanOrEqual(2048);
});
