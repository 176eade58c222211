import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/app/sqlite-store.ts';
import { type AnswerCache, createAnswerCache } from '../../src/http/cache/answer-cache.ts';
import type { Store } from '../../src/store/store.ts';
import { makeListing } from '../store/examples.ts';

let store: Store;
let cache: AnswerCache;
const budget = 10_000;
let now_ms = 0;
const clock = () => new Date(now_ms);

beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  await write('a/one', 'b/two');
  cache = createAnswerCache({ store, clock, config: { views: [] } }, budget);
});
afterEach(async () => {
  cache.close();
  await store.close();
});

const write = (...handles: string[]) =>
  store.write((tx) =>
    tx.listings.putListings(handles.map((handle, at) => makeListing(handle, handle.length * 100 + at))),
  );
const put = (key: string, cacheTags: readonly string[] | 'all', bytes = 100) =>
  cache.begin()(key, { bytes: key.padEnd(bytes), headers: [] }, { cacheTags });
const cached = (...keys: string[]) => keys.filter((key) => cache.get(key, now_ms)?.bytes.trimEnd() === key);

describe('finished answers in memory', () => {
  it('never exceed their budget; the least recently used ones are dropped first', () => {
    for (let at = 0; at < 100; at += 1) {
      put(`page-${at}`, ['a/one'], 2000);
      cache.get('page-0', now_ms);
      expect(cache.bytes).toBeLessThanOrEqual(budget);
    }
    expect(cached('page-0', 'page-1', 'page-98', 'page-99')).toEqual(['page-0', 'page-98', 'page-99']);
    put('too large', ['a/one'], budget);
    expect(cached('too large', 'page-99')).toEqual(['page-99']);
  });

  it('expire after their longest age, which is a minute for those with tags, and no time for others', () => {
    now_ms = 1000;
    cache.begin()('short', { bytes: 'short', headers: [] }, { cacheTags: [], maxAge_ms: 20 });
    put('of one', ['a/one']);
    put('of none', []);
    const all = ['short', 'of one', 'of none'];
    for (const [after_ms, left] of [
      [20, all],
      [1, ['of one', 'of none']],
      [59_979, ['of one', 'of none']],
      [1, ['of none']],
      [1e9, ['of none']],
    ] as const) {
      now_ms += after_ms;
      expect(cached(...all)).toEqual(left);
    }
  });

  it('are not stored at all with a budget of 0', () => {
    const none = createAnswerCache({ store, clock, config: { views: [] } }, 0);
    none.begin()('x', { bytes: '', headers: [] }, { cacheTags: [] });
    expect([none.get('x', now_ms), none.bytes]).toEqual([undefined, 0]);
    none.close();
  });
});
