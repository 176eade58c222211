import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparedOf } from '../support/compared.ts';
import { callTool, type Directory, openDirectory } from '../support/directory.ts';
import { registryEntry } from '../support/entries.ts';
import { openedDirectory } from '../support/opened.ts';
import { startRegistryServer } from '../support/registry-server.ts';

const entry = (name: string, version: string, [publishedAt, updatedAt]: [string, string], isLatest = true) =>
  registryEntry(
    name,
    { version, remotes: [{ type: 'sse', url: 'https://a.example/sse' }] },
    { publishedAt: `${publishedAt}T08:00:00Z`, updatedAt: `${updatedAt}T08:00:00Z`, isLatest },
  );

/** Only the newest versions; the newest change is of 2026-03-09. */
const newestOnly = [
  entry('com.example.a/one', '2.0.0', ['2026-02-01', '2026-02-02']),
  entry('com.example.b/two', '1.0.0', ['2026-03-09', '2026-03-09']),
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dossier-dates-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function importCopy(directory: Directory, name: string, entries: readonly object[]): Promise<void> {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(entries));
  expect((await directory.import({ source: path })).state).toBe('done');
}

const handle = 'com.example.a/one';
const read = async ({ app }: Directory, path: string) => (await app.request(path)).text();
const readDocument = async (directory: Directory, of = handle) =>
  JSON.parse(await read(directory, `/agents/${of}.json`));

interface Signal {
  readonly kind: string;
  readonly observed_at: string;
  readonly state: string;
  readonly reason?: string;
}

async function compare(directory: Directory, criteria: readonly object[]) {
  const handles = [handle, 'com.example.b/two'];
  return comparedOf(await callTool(directory, 'compare_agents', { handles, criteria }))[0];
}

describe('a listing from a saved copy with only the newest versions', () => {
  let directory: Directory;
  beforeAll(async () => {
    directory = await openDirectory({ entries: [] });
    await importCopy(directory, 'copy.json', newestOnly);
  });
  afterAll(() => directory.close());
  const today = () => directory.context.clock().toISOString().slice(0, 10);

  it('is as of the newest change in the copy, which names it as a saved copy', async () => {
    const document = await readDocument(directory);
    expect(document).toMatchObject({
      origin: 'registry.modelcontextprotocol.io (MCP), saved copy',
      observed_at: '2026-03-09T08:00:00.000Z',
      evidence_snapshot_date: today(),
      evidence_snapshot: `com.example.a/one is listed with no rating evidence as of ${today()}. A listing is not verification and not a recommendation to buy.`,
      origin_note: `This listing is from a saved copy of a registry, read by Dossier on ${today()}. The newest change in the copy is of 2026-03-09, so the copy was saved on that day or later.`,
    });
    const signals = document.signals.imported as Signal[];
    expect(new Set(signals.map(({ observed_at }) => observed_at))).toEqual(
      new Set(['2026-03-09T08:00:00.000Z']),
    );
  });

  it('states neither how many versions there are nor which was first, with the reason', async () => {
    const signals = (await readDocument(directory)).signals.imported as Signal[];
    const reason = 'The saved copy that was read has no older version of any listing.';
    for (const kind of ['registry.versions', 'registry.first_published'])
      expect(signals.find((signal) => signal.kind === kind)).toMatchObject({ outcome: 'nothing', reason });
    for (const [path, says] of [
      [`/agents/${handle}`, `<b>Versions published, first published:</b> ${reason}</li>`],
      [`/agents/${handle}.md`, `* Not known: Versions published, first published: ${reason}\n`],
      [`/agents/${handle}/versions`, `<p class="lead">${reason} The version shown was published `],
      [`/badge/${handle}.json`, '"message":"listed, updated 2026-02"'],
      ['/publishers/com.example.a', 'The oldest version that was read was published '],
    ] as const)
      expect(await read(directory, path)).toContain(says);
    expect(await read(directory, `/agents/${handle}`)).not.toContain('datePublished');
  });

  it('keeps its date when another copy without it is read later', async () => {
    await importCopy(directory, 'later.json', [
      entry('com.example.c/three', '1.0.0', ['2026-05-05', '2026-05-05']),
    ]);
    expect((await readDocument(directory)).observed_at).toBe('2026-03-09T08:00:00.000Z');
    expect((await readDocument(directory, 'com.example.c/three')).observed_at).toBe(
      '2026-05-05T08:00:00.000Z',
    );
  });
});

it('a listing that a later copy has unchanged is as of that copy, and as of the first copy on a day before it', async () => {
  const directory = await openedDirectory({ entries: [] });
  await importCopy(directory, 'first.json', newestOnly);
  const day = directory.context.clock().toISOString().slice(0, 10);
  directory.wait(86_400);
  const later = entry('com.example.c/three', '1.0.0', ['2026-05-05', '2026-05-05']);
  const older = entry('com.example.c/three', '0.9.0', ['2026-05-04', '2026-05-04'], false);
  await importCopy(directory, 'second.json', [...newestOnly, older, later]);
  const today = directory.context.clock().toISOString().slice(0, 10);
  const document = await readDocument(directory);
  expect(document).toMatchObject({
    observed_at: '2026-05-05T08:00:00.000Z',
    origin_note: `This listing is from a saved copy of a registry, read by Dossier on ${today}. The newest change in the copy is of 2026-05-05, so the copy was saved on that day or later.`,
  });
  expect(await callTool(directory, 'get_history', { handle })).toMatchObject({
    statement: expect.stringContaining(
      'The listing is of a saved copy of a registry, whose newest change is of 2026-05-05: what was published later is not in it.',
    ),
  });
  const past = await callTool(directory, 'get_agent', { handle, as_of: day, detail: 'full' });
  expect(past.markdown).toContain('The newest change in the copy is of 2026-03-09');
});

it('a version that the registry deleted and lists again was published on its day, not on the day of that change', async () => {
  const registry = await startRegistryServer(newestOnly);
  const directory = await openDirectory({ entries: [], environment: { REGISTRY_URL: registry.url } });
  await directory.import();
  const { markdown } = await callTool(directory, 'get_agent', { handle, detail: 'full' });
  expect(markdown).toContain('Version `2.0.0` published 2026-02-01; entry changed 2026-02-02 (record');
  await directory.close();
  await registry.stop();
});

it('a copy that states no date is not said to be of the day on which it was read', async () => {
  const directory = await openedDirectory({ entries: [] });
  await importCopy(directory, 'undated.json', [
    registryEntry('com.example.a/one', {}, { publishedAt: null, updatedAt: null }),
  ]);
  const today = directory.context.clock().toISOString().slice(0, 10);
  expect(await readDocument(directory)).toMatchObject({
    origin_note: `This listing is from a saved copy of a registry, read by Dossier on ${today}. No date in the copy shows when it was saved.`,
  });
});

it('a copy with older versions states how many versions there are and which was first', async () => {
  const directory = await openedDirectory({ entries: [] });
  await importCopy(directory, 'all.json', [
    entry(handle, '1.0.0', ['2026-01-01', '2026-01-01'], false),
    ...newestOnly,
  ]);
  const signals = (await readDocument(directory)).signals.imported;
  expect(signals).toContainEqual(expect.objectContaining({ kind: 'registry.versions', value: 2 }));
  expect(await read(directory, `/badge/${handle}.json`)).toContain('"message":"listed since 2026"');
  expect(await read(directory, `/agents/${handle}/versions`)).toContain(
    '2 versions from <time>2026-01-01</time>',
  );
  expect(await compare(directory, [{ criterion: 'listed_for_days', value: 1000 }])).toMatchObject({
    results: { 'listed_for_days:1000': 'not_met' },
    lines: { kept_up: expect.stringContaining('first published 2026-01-01') },
  });
});

const onlyNewest =
  'When Dossier last read all of the registry, it was sent only the newest version of each listing, so older versions may be missing here.';

it('a listing of a registry is as of the last completed reading of that registry', async () => {
  const registry = await startRegistryServer(newestOnly);
  const directory = await openDirectory({ entries: [], environment: { REGISTRY_URL: registry.url } });
  await directory.import();
  directory.wait(3 * 86_400);
  await directory.import();
  const document = await readDocument(directory);
  const date = directory.context.clock().toISOString().slice(0, 10);
  expect(document.origin_note).toBeUndefined();
  expect(document.observed_at.slice(0, 10)).toBe(date);
  directory.wait(2 * 86_400);
  const later = await readDocument(directory);
  expect(later.evidence_snapshot_date).toBe(directory.context.clock().toISOString().slice(0, 10));
  expect(later.observed_at).toBe(document.observed_at);
  expect(document.imported_at < document.observed_at).toBe(true);
  expect(document.signals.imported).toContainEqual(
    expect.objectContaining({
      kind: 'registry.versions',
      outcome: 'nothing',
      observed_at: document.observed_at,
      reason: onlyNewest,
    }),
  );
  const [one, ...others] = newestOnly;
  const next = entry(handle, '3.0.0', [later.observed_at.slice(0, 10), later.observed_at.slice(0, 10)]);
  registry.serve([...(one ? [one] : []), next, ...others]);
  await directory.import();
  expect((await readDocument(directory)).versions).toHaveLength(2);
  expect(JSON.stringify(await callTool(directory, 'get_history', { handle }))).toContain(onlyNewest);
  await directory.close();
  await registry.stop();
});

it('a deprecated version is told with the day of its publication and the day on which its entry changed', async () => {
  const [old, other] = ['com.valid/old', 'com.valid/new'].map((name, at) =>
    registryEntry(
      name,
      { version: '1.0.1' },
      {
        publishedAt: `2026-03-1${at}T08:00:00Z`,
        updatedAt: `2026-03-${at === 0 ? 31 : 11}T08:00:00Z`,
        status: at === 0 ? 'deprecated' : 'active',
        isLatest: true,
      },
    ),
  );
  const directory = await openedDirectory({ entries: [old, other].filter((one) => one !== undefined) });
  const { candidates } = await callTool<{ candidates: { handle: string; differs: string }[] }>(
    directory,
    'get_agent',
    { handle: 'valid.com' },
  );
  const dates = 'published 2026-03-10, entry changed 2026-03-31 (status: deprecated)';
  expect(
    candidates.map(({ handle: one, differs }) => [one, differs.replace(/^.*?”, version/, 'version')]),
  ).toEqual([
    ['com.valid/old', `version \`1.0.1\`, ${dates}, deprecated`],
    ['com.valid/new', 'version `1.0.1`, updated 2026-03-11'],
  ]);
  expect(await read(directory, '/agents/com.valid/old.md')).toContain(`* Version: \`1.0.1\`, ${dates}\n`);
  expect(await read(directory, '/agents/com.valid/old')).toContain(
    '"dateModified":"2026-03-31T08:00:00.000Z"',
  );
});
