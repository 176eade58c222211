import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type ImportRequest, runImport } from '../../src/imports/import.ts';
import { runDossier } from '../support/command.ts';
import { openedDirectory } from '../support/opened.ts';

/**
 * A registry of the generic API whose `ServerResponse` has no more than `server`, as ToolHive's and
 * agentregistry send it.
 */
const server = (name: string, version = '1.0.0') => ({
  name: `com.acme.internal/${name}`,
  description: 'An internal tool',
  version,
  remotes: [{ type: 'streamable-http', url: `https://${name}.acme.example/mcp` }],
});
const official = 'io.modelcontextprotocol.registry/official';
let entries: object[] = [];
const registry = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ servers: entries, metadata: { count: entries.length } }));
});
let url = '';
const handle = 'com.acme.internal/with-versions';
const importAll = (request: ImportRequest = {}) => runImport(directory.context, { source: url, ...request });
await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening));
url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
entries = [
  { server: server('empty-meta'), _meta: {} },
  { server: server('no-meta') },
  { server: server('status-alone'), _meta: { [official]: { status: 'deprecated' } } },
  {
    server: server('zero-time'),
    _meta: { [official]: { publishedAt: '0001-01-01T00:00:00Z', isLatest: null } },
  },
  ...['1.9.0', '1.10.0', '1.2.0'].map((version) => ({ server: server('with-versions', version), _meta: {} })),
];
const directory = await openedDirectory({
  entries: [],
  listening: true,
  environment: { REGISTRY_URL: url, REGISTRY_NAME: 'Ours' },
});
expect(await importAll()).toMatchObject({
  state: 'done',
  counts: { rows_new: 7, rows_quarantined: 0, listings_new: 5, older_versions: 2 },
});
afterAll(() => {
  registry.close();
});

const json = async (path: string) => (await (await directory.app.request(path)).json()) as Promise<never>;
const text = async (path: string) => (await directory.app.request(path)).text();

describe('a registry that states no dates', () => {
  it('is imported: active if it says nothing else, in the highest version', async () => {
    const read = async (name: string) =>
      (await json(`/agents/com.acme.internal/${name}.json`)) as { origin_status: string; version: string };
    expect((await read('empty-meta')).origin_status).toBe('active');
    expect((await read('no-meta')).origin_status).toBe('active');
    expect((await read('status-alone')).origin_status).toBe('deprecated');
    expect((await read('zero-time')).origin_status).toBe('active');
    expect((await read('with-versions')).version).toBe('1.10.0');
  });
  it('has no date of publication and none of an update through any adapter, and that is said', async () => {
    const document = (await json(`/agents/${handle}.json`)) as {
      versions: object[];
      signals: { imported: { kind: string; outcome: string; reason?: string }[] };
    };
    expect(document).not.toHaveProperty('published_at');
    expect(document).not.toHaveProperty('updated_at');
    expect(document.versions).toHaveLength(3);
    expect(JSON.stringify(document.versions)).not.toContain('published_at');
    for (const kind of ['registry.last_published', 'registry.first_published', 'registry.last_update'])
      expect(document.signals.imported.find((one) => one.kind === kind)).toMatchObject({
        outcome: 'nothing',
        reason: 'The registry states no date of this listing.',
      });
    const markdown = await text(`/agents/${handle}.md`);
    for (const page of [
      markdown,
      await text(`/agents/${handle}`),
      await text(`/agents/${handle}/versions`),
    ]) {
      expect(page).not.toMatch(/updated <?t?i?m?e?>?20\d\d|[Pp]ublished (on )?20\d\d|listed since/);
      expect(page).not.toContain('dateModified');
    }
    expect(await text(`/agents/${handle}/versions`)).toContain('no date stated');
    expect(await text(`/badge/${handle}`)).toContain('aria-label="dossier: listed"');
    const { servers } = (await json('/v0.1/servers?version=latest&search=with-versions')) as {
      servers: { _meta: Record<string, object> }[];
    };
    expect(servers[0]?._meta[official]).toEqual({ status: 'active', isLatest: true });
    const compared = await directory.post('/api/tools/compare_agents', {
      handles: [handle, 'com.acme.internal/no-meta'],
      criteria: [
        { criterion: 'updated_within_days', value: 30 },
        { criterion: 'listed_for_days', value: 1 },
      ],
    });
    expect(await compared.json()).toMatchObject({
      listings: Array.from({ length: 2 }, () => ({
        imported: { 'updated_within_days:30': 'unknown', 'listed_for_days:1': 'unknown' },
        lines: { kept_up: expect.stringContaining('he registry states no date of this listing.') },
      })),
    });
  });
  it('changes when its record does, and nothing else does', async () => {
    const again = await importAll();
    expect(again.counts).toMatchObject({ rows_unchanged: 7, listings_changed: 0 });
    entries = [...entries.slice(1), { server: { ...server('empty-meta'), title: 'Empty' }, _meta: {} }];
    expect((await importAll()).counts).toMatchObject({ rows_changed: 1, listings_changed: 1 });
  });
});

it('a source of which nearly nothing can be read is no import: it fails with what is wrong, and its exit code', async () => {
  const before = entries;
  entries = Array.from({ length: 12 }, (_, n) => ({ server: { title: `Without a name ${n}` } }));
  const report = await importAll({ isFull: true });
  expect(report).toMatchObject({
    state: 'failed',
    error:
      '12 of 12 entries could not be read, so Dossier cannot import this registry (one of them: name or version missing or malformed)',
  });
  const { code, stderr } = await runDossier(['import', '--from', url], { DATABASE_URL: 'file::memory:' });
  expect([code, stderr]).toEqual([65, expect.stringContaining('12 of 12 entries could not be read')]);
  expect((await json(`/agents/${handle}.json`)) as object).toMatchObject({ handle });
  entries = before;
});
