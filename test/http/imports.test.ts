import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zeroImportCounts } from '../../src/imports/import-run.ts';
import { createSharedDatabase } from '../support/database.ts';
import { type Directory, openDirectory } from '../support/directory.ts';
import { editDatabase } from '../support/edit-database.ts';
import { registryEntry, seedEntries } from '../support/entries.ts';
import { openFolder } from '../support/opened.ts';
import { manyEntries } from '../support/registry-entries.ts';
import { type RegistryServer, startRegistryServer } from '../support/registry-server.ts';

let registry: RegistryServer;
let directory: Directory | undefined;
beforeEach(async () => {
  registry = await startRegistryServer(seedEntries);
});
afterEach(async () => {
  await directory?.close();
  directory = undefined;
  await registry.stop();
});

const open = async (REGISTRY_URL: string) => {
  directory = await openDirectory({ entries: [], environment: { REGISTRY_URL } });
  return directory;
};
const eventually = <T>(read: () => T) => expect.poll(read);
const patience = { tries: 1, wait_ms: 1 };
/** What a page says of the import, without its markup. */
const freshness = async (path = '/') => {
  const page = (await (await directory?.app.request(path))?.text()) ?? '';
  const [, said = ''] = /<div class="freshness">(.*?)<\/div>/s.exec(page) ?? [];
  return said
    .replace(/<[^>]+>/g, '')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '<time>')
    .replace(/\s+/g, ' ')
    .trim();
};

const nothing = 'No registry is configured: nothing is imported automatically.';
it.each<[string, string, string | undefined, string]>([
  ['before anything came', 'off', undefined, `No import has completed yet. ${nothing}`],
  [
    'with the shipped sample',
    'off',
    'sample',
    `Last completed import: the sample that ships with this service. ${nothing}`,
  ],
  [
    'with a registry',
    'registry',
    'registry',
    'Last completed import: <time>. The registry is checked for changes every hour.',
  ],
])('pages say how fresh the listings are, %s', async (_, set, source, says) => {
  const urlOf = (name: string) => (name === 'registry' ? registry.url : name);
  const service = await open(urlOf(set));
  if (source) await service.import({ source: urlOf(source) });
  expect(await freshness()).toBe(says);
});

it('pages say how fresh the listings of a saved copy are', async () => {
  directory = await openDirectory();
  expect(await freshness()).toBe(
    'Last completed import: <time>, from a saved copy whose newest change is dated 2026-10-02. The listings come from a saved copy of a registry. The copy is read once.',
  );
});

describe('an import that did not complete', () => {
  const stays = 'The listings shown are as old as their dates say.';

  it('shows why it failed, and when it is retried if its registry is the configured one', async () => {
    const service = await open(registry.url);
    registry.trouble('unavailable');
    await service.import({ patience });
    expect(await freshness()).toContain(
      `The import of <time> did not complete: the registry answered with status 503. It is retried automatically. Without a network, dossier import --from FILE reads a saved copy. ${stays}`,
    );
    expect(await freshness('/about')).toContain('the registry answered with status 503');
  });

  it.each([
    ['no registry is set', 'off'],
    ['a saved copy is set', 'file:copy.json'],
    ['another registry is set', 'https://registry.example'],
  ])('is not tried again where %s', async (_name, set) => {
    const service = await open(set);
    registry.trouble('html');
    await service.import({ source: registry.url, patience });
    expect(await freshness()).toContain(
      `did not complete: the answer is not JSON (another kind of server, or a sign-in page). It is not retried automatically. Without a network, dossier import --from FILE reads a saved copy. ${stays}`,
    );
  });

  it('is named as one of the registry after a saved copy was imported, which is complete', async () => {
    const service = await open(registry.url);
    const folder = openFolder();
    const copy = join(folder, 'copy.json');
    writeFileSync(copy, JSON.stringify(seedEntries));
    registry.trouble('unavailable');
    await service.import({ source: copy });
    await service.import({ patience });
    expect(await freshness()).toBe(
      `Last completed import: <time>, from a saved copy whose newest change is dated 2026-10-02. The registry is checked for changes every hour. The completed import is from another source. ${registry.url}/v0.1 could not be read at <time>: the registry answered with status 503. It is retried automatically. ${stays}`,
    );
  });

  it('waits for the operator where it was held', async () => {
    registry.serve(manyEntries(60));
    const service = await open(registry.url);
    await service.import();
    registry.serve(
      manyEntries(60, () => ({ official: { status: 'deleted', updatedAt: '2026-10-03T08:00:00Z' } })),
    );
    await service.import();
    expect(await freshness()).toBe(
      `Last completed import: <time>. The registry is checked for changes every hour. The import of <time> is held: more than a fifth of the known listings would lose their shown version, or change their repository or the host of their endpoint. The operator has to review it. ${stays}`,
    );
    expect(await (await service.app.request('/')).text()).toContain('<b>60</b> listings');
  });
});

it('an import under way shows what it has read so far and nothing else, then that it was stopped', async () => {
  registry.serve(manyEntries(250));
  const service = await open(registry.url);
  registry.answerOnly(0);
  const stopping = new AbortController();
  const run = service.import({ signal: stopping.signal });
  await eventually(() => freshness()).toContain('An import has been running since <time>: nothing read yet.');
  registry.answerOnly(1);
  await eventually(() => freshness()).toContain(
    'An import has been running since <time>: 100 rows read, 100 listings new.',
  );
  stopping.abort();
  registry.answerOnly(1);
  expect((await run).state).toBe('running');
  expect(await freshness()).toContain(
    'The import of <time> was stopped before it completed. The next import continues it.',
  );
});

it('an import whose node died is interrupted, and says when its node was last seen', async () => {
  registry.serve(manyEntries(250));
  const DATABASE_URL = await createSharedDatabase();
  directory = await openDirectory({ entries: [], environment: { REGISTRY_URL: registry.url, DATABASE_URL } });
  const { store, clock } = directory.context;
  const now = clock().toISOString();
  await store.write(async (tx) => {
    await tx.leases.take('import', 'a process that was killed');
    await tx.imports.startRun({
      kind: 'full',
      source: `${registry.url}/v0.1`,
      state: 'running',
      started_at: now,
      progress: { counts: zeroImportCounts, newestUpdatedAt: undefined, recorded: {} },
    });
  });
  expect((await store.leases.find('import'))?.isHeld).toBe(true);
  await editDatabase(DATABASE_URL, 'update lease set renewed_at = renewed_at - 10000');
  expect((await store.leases.find('import'))?.isHeld).toBe(false);
  expect(await freshness()).toContain(
    'The import of <time> was interrupted: its node was last seen at <time>. The next import continues it.',
  );
});

describe('/about', () => {
  it('counts every quarantined record by its reason, names the newest twenty, and says how long the import took', async () => {
    directory = await openDirectory();
    const rows = Array.from({ length: 1500 }, (_, place) => ({
      name: `com.example/broken-${String(place).padStart(4, '0')}`,
      version: '1.0.0',
      reason: place < 1200 ? 'name is missing' : 'too large',
      run_id: 1,
      seen_at: '2026-10-02T08:00:00.000Z',
    }));
    const { done } = await directory.store.imports.last();
    const times = { started_at: '2026-10-02T08:00:00.000Z', finished_at: '2026-10-02T08:01:23.400Z' };
    await directory.store.write(async (tx) => {
      await tx.imports.quarantine(rows);
      await tx.imports.saveRun(done?.id ?? 0, times);
    });
    const page = await (await directory.app.request('/about')).text();
    expect(page).toContain('1,500 records could not be read.');
    expect(page).toContain('<th scope="row">name is missing</th><td>1,200</td>');
    expect(page).toContain('<th scope="row">too large</th><td>300</td>');
    expect(page.split('com.example/broken-')).toHaveLength(21);
    expect(page.replaceAll(/<[^>]+>/g, '')).toContain(
      'Full, 2026-10-02 08:00 UTC to 2026-10-02 08:01 UTC, 83.4 seconds',
    );
  });

  it('reports what the last completed import counted, and where from', async () => {
    registry.serve([...seedEntries, registryEntry('a.b/c', {}, { status: 'deleted' })]);
    await (await open(registry.url)).import();
    const page = (await (await directory?.app.request('/about'))?.text()) ?? '';
    expect(page).toContain(`from <code>${registry.url}/v0.1</code>`);
    expect(page).toContain('<th scope="row">rows read</th><td>3</td>');
    expect(page).toContain('<th scope="row">rows that the registry marks as deleted</th><td>1</td>');
    expect(page).not.toContain('rows unchanged');
    expect(page).toContain('The listings come from MCP registries, and each names its source');
  });
});

it('no page names a registry that listings did not come from', async () => {
  await (await open('https://registry.nowhere.example')).import({ source: 'sample' });
  for (const path of ['/', '/agents', '/tags', '/about'])
    expect(await (await directory?.app.request(path))?.text()).not.toContain('registry.nowhere.example');
});
