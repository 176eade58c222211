import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeptBytes, type KeptBytes } from '../../src/http/cache/answer-cache.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import { listingRow } from '../store/rows.ts';

interface Finished {
  readonly text: string;
}
let store: Store;
let kept: KeptBytes<Finished>;
const budget = 10_000;

beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  await write('a/one', 'b/two');
  kept = createKeptBytes<Finished>(store, budget);
});
afterEach(async () => {
  kept.close();
  await store.close();
});

const write = (...handles: string[]) =>
  store.write((tx) =>
    tx.listings.putListings(handles.map((handle, at) => listingRow(handle, handle.length * 100 + at))),
  );
const keep = (key: string, cacheTags: readonly string[] | 'all', bytes = 100) =>
  kept.reading()({ text: key }, { key, cacheTags, bytes });
const held = (...keys: string[]) => keys.filter((key) => kept.get(key)?.text === key);

describe('finished answers in memory', () => {
  it('never pass their budget; those that were not asked for go first', () => {
    for (let at = 0; at < 100; at += 1) {
      keep(`page-${at}`, ['a/one'], 2000);
      kept.get('page-0');
      expect(kept.bytes).toBeLessThanOrEqual(budget);
    }
    expect(held('page-0', 'page-1', 'page-98', 'page-99')).toEqual(['page-0', 'page-98', 'page-99']);
    keep('too large', ['a/one'], budget);
    expect(held('too large', 'page-99')).toEqual(['page-99']);
  });

  it('go with the write of what they are cacheTags, and only then', async () => {
    const keepAll = () => {
      keep('of one', ['a/one']);
      keep('of both', ['a/one', 'b/two']);
      keep('of two', ['b/two']);
      keep('of any', 'all');
      keep('of none', []);
    };
    const all = ['of one', 'of both', 'of two', 'of any', 'of none'];
    keepAll();
    await store.write((tx) => tx.feedback.add(feedback));
    expect(held(...all)).toEqual(all);
    await write('a/one');
    expect(held(...all)).toEqual(['of two', 'of none']);
    keepAll();
    await write('c/three');
    expect(held(...all)).toEqual(['of one', 'of both', 'of two', 'of none']);
    await store.write(async (tx) => {
      const id = await tx.imports.startRun(run);
      await tx.imports.saveRun(id, { state: 'done', finished_at: '2026-11-21T10:00:01.000Z' });
    });
    expect(held(...all)).toEqual([]);
    expect(kept.bytes).toBe(0);
  });

  it('are not kept where a write came between reading and keeping', async () => {
    const keepLate = kept.reading();
    await write('b/two');
    keepLate({ text: 'late' }, { key: 'late', cacheTags: ['a/one'], bytes: 10 });
    expect(held('late')).toEqual([]);
    keep('in time', ['a/one']);
    expect(held('in time')).toEqual(['in time']);
  });

  it('are no longer kept than they may be', async () => {
    kept.reading()({ text: 'short' }, { key: 'short', cacheTags: [], bytes: 10, maxAge_ms: 20 });
    expect(held('short')).toEqual(['short']);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(held('short')).toEqual([]);
  });

  it('are forgotten at the end, and keep nothing of the store’s', async () => {
    keep('of one', ['a/one']);
    kept.close();
    expect(held('of one')).toEqual([]);
    expect(kept.bytes).toBe(0);
  });
});

const feedback = {
  id: '0199aa00-0000-7000-8000-000000000000',
  received_at: '2026-11-21T10:00:00.000Z',
  message: 'private',
  category: null,
  handle: 'a/one',
  looking_for: null,
  found_it: null,
  contact: null,
  state: 'open',
} as const;

const run = {
  source: 'test',
  kind: 'full',
  state: 'running',
  started_at: '2026-11-21T10:00:00.000Z',
  finished_at: null,
  updated_since: null,
  cursor: null,
  lease_owner: null,
  lease_at: null,
  counts: '{}',
  error: null,
} as const;
