import { afterEach, describe, expect, it } from 'vitest';
import { toWithdrawn } from '../../src/listings/listing.ts';
import { type RegistryEntry, registryEntry } from '../support/entries.ts';
import { type Importing, openImporting } from '../support/importing.ts';
import { manyEntries, onGitHub, readRealEntries } from '../support/registry-entries.ts';

let importing: Importing;
const open = async (entries: readonly RegistryEntry[]) => {
  importing = await openImporting(entries);
  return importing;
};
afterEach(() => importing.close());

const real = readRealEntries();
const later = { updatedAt: '2026-10-31T23:59:00Z' };

describe('importing from a registry', () => {
  it('requests page by page, with a User-Agent', async () => {
    const { run, registry } = await open(manyEntries(250));
    expect((await run()).state).toBe('done');
    expect(registry.requests.map(({ query }) => query.toString())).toEqual([
      'limit=100&include_deleted=true',
      'limit=100&include_deleted=true&cursor=com.example.n00099%2Fserver%3A1.0.0',
      'limit=100&include_deleted=true&cursor=com.example.n00199%2Fserver%3A1.0.0',
    ]);
    expect(registry.requests[0]?.userAgent).toBe('Dossier/1.2.3 (+http://127.0.0.1:3000)');
  });

  it('changes nothing the second time, in full or incrementally', async () => {
    const entries = [...(real ?? []), ...manyEntries(150)];
    const { run, written, registry, wait } = await open(entries);
    const first = await run();
    expect(first.counts).toMatchObject({
      rows_seen: entries.length,
      rows_new: entries.length,
      rows_quarantined: 0,
    });
    const before = await written();
    wait(3600);
    const again = await run();
    expect(again).toMatchObject({
      kind: 'incremental',
      state: 'done',
      counts: { rows_new: 0, rows_changed: 0 },
    });
    const inFull = await run({ source: registry.url.replace('127.0.0.1', 'localhost') });
    expect(inFull).toMatchObject({
      kind: 'full',
      counts: {
        rows_seen: entries.length,
        rows_unchanged: entries.length,
        rows_new: 0,
        rows_changed: 0,
        listings_changed: 0,
      },
    });
    expect(await written()).toEqual(before);
  });

  // The copy stands beside the project, not in it: its rows are other people's texts.
  it.runIf(real)('accounts for every real row, each version kept and the latest shown', async () => {
    const { run, store } = await open(real ?? []);
    const { counts } = await run();
    expect(counts).toMatchObject({
      rows_seen: 2794,
      rows_new: 2794,
      rows_quarantined: 0,
      older_versions: 1686,
      listings_new: 1108,
    });
    expect(await store.listings.count()).toBe(1108);
    const facts = await store.documents.facts('io.github.github/github-mcp-server');
    expect(facts?.listing).toMatchObject({ version: '0.26.0-rc.3' });
    expect(facts?.imported).toContainEqual(expect.objectContaining({ kind: 'registry.versions', value: 18 }));
    expect(facts?.versions.length).toBe(10);
  });

  it('takes more listings of one millisecond than that has places', async () => {
    const { run, store } = await open(manyEntries(1500));
    expect(await run()).toMatchObject({ state: 'done', counts: { listings_new: 1500 } });
    expect(await store.listings.count()).toBe(1500);
  });

  it('requests changes since the newest known one, less ten minutes', async () => {
    const { run, registry, store } = await open([
      registryEntry('a.b/c', {}, { updatedAt: '2026-10-20T12:00:00Z' }),
    ]);
    await run();
    registry.serve([
      registryEntry('a.b/c', {}, { updatedAt: '2026-10-20T12:00:00Z' }),
      registryEntry('a.b/d', {}, { updatedAt: '2026-10-20T11:55:00Z' }),
    ]);
    expect((await run()).counts).toMatchObject({ rows_seen: 2, rows_new: 1, rows_unchanged: 1 });
    expect(registry.requests.at(-1)?.query.get('updated_since')).toBe('2026-10-20T11:50:00.000Z');
    expect(await store.listings.count()).toBe(2);
  });

  it('is not frozen by an update from the future', async () => {
    const { run, registry, store } = await open([
      registryEntry('a.b/future', {}, { updatedAt: '2099-01-01T00:00:00Z' }),
      registryEntry('a.b/now', {}, { updatedAt: '2026-10-20T12:00:00Z' }),
    ]);
    await run();
    registry.serve([registryEntry('a.b/next', {}, { updatedAt: '2026-10-21T12:00:00Z' })]);
    expect((await run()).counts.rows_new).toBe(1);
    expect(registry.requests.at(-1)?.query.get('updated_since')).toBe('2026-10-20T11:50:00.000Z');
    expect(await store.listings.count()).toBe(3);
  });

  it('yields signals dated by the reading; the dates of the registry are facts of their own', async () => {
    const { run, store, wait } = await open([
      registryEntry(
        'io.github.owner/tool',
        { ...onGitHub('Owner/tool'), remotes: [{ type: 'sse', url: 'https://a.example/sse' }] },
        { status: 'deprecated', statusMessage: 'Use 2.0', updatedAt: '2026-10-05T00:00:00Z' },
      ),
    ]);
    await run();
    wait(3600);
    await run();
    const signals = (await store.documents.facts('io.github.owner/tool'))?.imported ?? [];
    expect(signals.map(({ kind, value, outcome }) => [kind, value, outcome])).toEqual([
      ['registry.status', 'deprecated', 'seen'],
      ['registry.status_message', 'Use 2.0', 'seen'],
      ['registry.last_update', '2026-10-05T00:00:00.000Z', 'seen'],
      ['registry.versions', null, 'nothing'],
      ['registry.first_published', null, 'nothing'],
      ['registry.last_published', '2026-10-01T08:00:00.000Z', 'seen'],
      ['record.transports', ['sse'], 'seen'],
      ['record.package_types', null, 'nothing'],
      ['record.repository', 'github.com/owner/tool', 'seen'],
      ['namespace.matches_repository_owner', true, 'seen'],
    ]);
    expect(new Set(signals.map(({ observed_at }) => observed_at))).toEqual(
      new Set(['2026-11-01T01:00:00.000Z']),
    );
    expect(signals[0]).toMatchObject({ source: 'registry.test (MCP)', method_version: 'import/1' });
    expect(signals[0]?.source_url).toMatch(/\/v0\.1\/servers\/io\.github\.owner%2Ftool\/versions$/);
  });
});

describe('what the registry takes back', () => {
  it('shows a deprecated listing as such', async () => {
    const { run, registry, store } = await open([registryEntry('a.b/c')]);
    await run();
    registry.serve([registryEntry('a.b/c', {}, { ...later, status: 'deprecated', statusMessage: 'Use d' })]);
    expect((await run()).counts).toMatchObject({ rows_changed: 1, rows_deprecated: 1, listings_changed: 1 });
    expect(await store.listings.byHandle('a.b/c')).toMatchObject({
      origin_status: 'deprecated',
      status_message: 'Use d',
    });
  });

  it('withdraws a deleted listing without its text, and brings it back', async () => {
    const entry = registryEntry('a.b/c', { title: 'Secret words', ...onGitHub('o/r') });
    const { run, registry, store } = await open([entry]);
    await run();
    registry.serve([registryEntry('a.b/c', { title: 'Secret words' }, { ...later, status: 'deleted' })]);
    expect((await run()).counts).toMatchObject({ rows_deleted: 1, listings_withdrawn: 1 });
    const row = await store.listings.byHandle('a.b/c');
    expect(row).toMatchObject({
      withdrawn: 'deleted',
      title: undefined,
      description: '',
      repository: undefined,
      facets: [],
    });
    expect((await store.listings.version('a.b/c', '1.0.0'))?.record).toBe('{}');
    expect(await store.listings.count()).toBe(0);
    expect((await store.listings.search({ text: 'secret', facets: [], sort: 'relevance' })).hits).toEqual([]);
    registry.serve([
      registryEntry('a.b/c', { title: 'Secret words' }, { updatedAt: '2026-10-31T23:59:30Z' }),
    ]);
    await run();
    expect(await store.listings.byHandle('a.b/c')).toMatchObject({
      withdrawn: undefined,
      title: 'Secret words',
    });
    expect(await store.listings.count()).toBe(1);
  });

  it('deletes nothing that is merely absent', async () => {
    const { run, registry, store } = await open(manyEntries(120));
    await run();
    registry.serve([]);
    await run();
    expect(await run({ source: registry.url.replace('127.0.0.1', 'localhost') })).toMatchObject({
      state: 'done',
    });
    expect(await store.listings.count()).toBe(120);
  });

  it('keeps an opt-out while the registry sends the same repository', async () => {
    const { run, registry, store } = await open([
      registryEntry('a.b/c', { ...onGitHub('owner/repo'), title: 'Text' }),
    ]);
    await run();
    const row = await store.listings.byHandle('a.b/c');
    await store.write(async (tx) => {
      if (!row) return;
      await tx.listings.putListings([
        { ...row, title: undefined, description: '', facets: [], withdrawn: 'optout' },
      ]);
      await tx.optOuts.put({
        handle: 'a.b/c',
        state: 'withdrawn',
        kind: 'repository',
        place: 'https://github.com/owner/repo',
        place_key: 'github.com/owner/repo',
        seen_at: '2026-10-02T00:00:00.000Z',
        checked_at: '2026-10-02T00:00:00.000Z',
        listing: row,
      });
    });
    registry.serve([
      registryEntry(
        'a.b/c',
        { ...onGitHub('owner/repo'), title: 'New text', version: '2.0.0' },
        { ...later, publishedAt: '2026-10-30T00:00:00Z' },
      ),
    ]);
    expect((await run()).counts).toMatchObject({ rows_new: 1, listings_changed: 0 });
    expect(await store.listings.byHandle('a.b/c')).toMatchObject({ withdrawn: 'optout', title: undefined });
    expect(await store.listings.count()).toBe(0);
  });
});

describe('a page whose listing changes while it is planned', () => {
  const at = (version: string) => [registryEntry('com.example/planned', { version })];
  it.each([
    // The first write begins the run.
    ['once', 2],
    ['each time', 4],
  ])('is planned again if that happens %s, and what changed is not overwritten', async (_when, most) => {
    const { run, registry, store } = await open(at('1.0.0'));
    await run();
    registry.serve(at('1.0.1'));
    const { write } = store;
    let changes = 0;
    store.write = async (work) => {
      const [known] = changes < most ? await store.listings.byHandles(['com.example/planned']) : [];
      const changed = known && { ...toWithdrawn(known, 'deleted'), title: `${changes}` };
      if (changed) await write((tx) => tx.listings.putListings([changed]));
      changes += 1;
      return write(work);
    };
    expect((await run()).state).toBe('done');
    store.write = write;
    const listing = await store.listings.byHandle('com.example/planned');
    expect(listing).toMatchObject({ version: '1.0.1', withdrawn: undefined });
    const types = (await store.changes.after(0, 10)).map(({ type }) => type);
    expect(types).toEqual(['listing.restored']);
  });
});

describe('holding a run that would harm too much', () => {
  const affected = (share: number, harm: { server?: object; official?: object }) =>
    manyEntries(400, (at) => (at % 100 < share ? harm : { official: later }));

  it.each([
    ['vanish', { official: { ...later, status: 'deleted' } }],
    ['change repository', { server: onGitHub('attacker/repo'), official: later }],
  ])('writes none of it where 21 %% %s', async (_, harm) => {
    const { run, registry, store, written } = await open(manyEntries(400));
    await run();
    const before = await written();
    registry.serve(affected(21, harm));
    const report = await run();
    expect(report.state).toBe('held');
    expect(report.error).toMatch(
      /^held: more than 20 % of 400 known listings would lose .*; look at the registry, then run: dossier import --accept-changes$/,
    );
    expect(await written()).toEqual(before);
    expect((await store.imports.last()).run).toMatchObject({ state: 'held', cursor: undefined });
    expect((await run()).state).toBe('held');
    expect((await run({ acceptChanges: true })).state).toBe('done');
    expect(await written()).not.toEqual(before);
  });

  it('lets a fifth go, and small directories as a whole', async () => {
    const { run, registry, store } = await open(manyEntries(400));
    await run();
    registry.serve(affected(20, { official: { ...later, status: 'deleted' } }));
    expect(await run()).toMatchObject({ state: 'done', counts: { rows_seen: 400, listings_withdrawn: 80 } });
    expect(await store.listings.count()).toBe(320);
    await importing.close();
    const small = await open(manyEntries(49));
    await small.run();
    small.registry.serve(manyEntries(49, () => ({ official: { ...later, status: 'deleted' } })));
    expect(await small.run()).toMatchObject({ state: 'done', counts: { listings_withdrawn: 49 } });
    await small.close();
    const guarded = await open(manyEntries(50));
    await guarded.run();
    guarded.registry.serve(manyEntries(50, () => ({ official: { ...later, status: 'deleted' } })));
    expect((await guarded.run()).state).toBe('held');
  });
});
