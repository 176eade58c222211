import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registryEntry, remotesAt } from '../support/entries.ts';
import { type Importing, openImporting } from '../support/importing.ts';
import { manyEntries } from '../support/registry-entries.ts';

let importing: Importing;
const official = 'io.modelcontextprotocol.registry/official';
/** In the order of the registry; the last 100 changed long before the others. */
const entries = manyEntries(300)
  .toSorted((a, b) => (String(a.server.name) < String(b.server.name) ? -1 : 1))
  .map((entry, at) => ({
    ...entry,
    _meta: {
      ...entry._meta,
      [official]: {
        ...entry._meta[official],
        updatedAt: at < 200 ? '2026-10-01T00:00:00Z' : '2026-01-01T00:00:00Z',
      },
    },
  }));
const aDay_s = 86_400;
beforeEach(async () => {
  importing = await openImporting(entries);
});
afterEach(() => importing.close());
const count = () => importing.store.listings.count();

describe('what an incremental import misses', () => {
  it('is found by the full one a week later, after a page lost its cursor', async () => {
    importing.registry.trouble('no_cursor', { after: 1, times: 1 });
    expect(await importing.run()).toMatchObject({ state: 'done', kind: 'full' });
    expect(await count()).toBe(200);
    importing.wait(6 * aDay_s);
    expect(await importing.run()).toMatchObject({ state: 'done', kind: 'incremental' });
    expect(await count()).toBe(200);
    importing.wait(1.1 * aDay_s);
    expect(await importing.run()).toMatchObject({ state: 'done', kind: 'full', counts: { rows_new: 100 } });
    expect(await count()).toBe(300);
    importing.wait(aDay_s);
    expect((await importing.run()).kind).toBe('incremental');
  });
  it('is found at once where all is asked for', async () => {
    importing.registry.trouble('no_cursor', { after: 1, times: 1 });
    await importing.run();
    expect(await importing.run({ isFull: true })).toMatchObject({ state: 'done', kind: 'full' });
    expect(await count()).toBe(300);
  });
  it('is found where a run of changes was interrupted before', async () => {
    await importing.run();
    importing.wait(60);
    const stopping = new AbortController();
    importing.registry.trouble('unavailable');
    const asked = importing.registry.requests.length;
    const run = importing.run({ signal: stopping.signal, patience: { tries: 99, wait_ms: 50 } });
    await expect.poll(() => importing.registry.requests.length).toBeGreaterThan(asked + 1);
    stopping.abort();
    expect(await run).toMatchObject({ state: 'running', kind: 'incremental' });
    importing.registry.trouble('unavailable', { times: 0 });
    expect(await importing.run({ isFull: true })).toMatchObject({
      state: 'done',
      kind: 'full',
      isResumed: false,
    });
  });
});

describe('a full import that ends early', () => {
  it('fails, keeps its place, and goes on with the page that lost its cursor', async () => {
    await importing.run();
    importing.registry.trouble('no_cursor', { after: 1, times: 1 });
    expect(await importing.run({ isFull: true })).toMatchObject({
      state: 'failed',
      error:
        'the list ended after 200 entries, and the last full import read 300; if that is right, run: dossier import --full --accept-changes',
    });
    expect(await importing.run()).toMatchObject({
      state: 'done',
      kind: 'full',
      isResumed: true,
      counts: { rows_seen: 300, rows_unchanged: 300 },
    });
  });
  it('is accepted where the operator says so, and deletes nothing', async () => {
    await importing.run();
    importing.registry.serve(entries.slice(0, 120));
    expect((await importing.run({ isFull: true })).state).toBe('failed');
    expect(await importing.run({ isFull: true, acceptChanges: true })).toMatchObject({ state: 'done' });
    expect(await count()).toBe(300);
    expect((await importing.run({ isFull: true })).state).toBe('done');
  });
});

it('holds a run that would move the endpoints of more than a fifth to other hosts', async () => {
  const at = (host: string, updatedAt: string) =>
    Array.from({ length: 100 }, (_, index) =>
      registryEntry(`com.example/n${index}`, remotesAt(`https://${host}/n${index}`), { updatedAt }),
    );
  importing.registry.serve(at('mcp.example.com', '2026-10-01T00:00:00Z'));
  await importing.run();
  importing.wait(60);
  importing.registry.serve(at('mcp.elsewhere.example', '2026-11-01T00:00:30Z'));
  expect(await importing.run()).toMatchObject({
    state: 'held',
    error: expect.stringMatching(
      /^held: more than 20 % of 100 known listings would .* or the host of their endpoint/,
    ),
  });
  expect(await importing.run({ acceptChanges: true })).toMatchObject({
    state: 'done',
    counts: { listings_changed: 100 },
  });
});
