import { expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';

const t0 = Date.parse('2026-11-21T10:00:00Z');

/** What every engine must do alike with the limits that all nodes share; `store` answers an empty one. */
export function describeLimits(store: () => Store): void {
  // 7 calls that are back after a minute: a step that is no whole number.
  const bucket = { step_ms: 60_000 / 7, capacity_ms: 60_000 };
  const takeAll = (at_ms: number, keys: readonly string[], day?: string) =>
    store().write((tx) =>
      tx.limits.take(
        keys.map((key) => ({ key, day, ...bucket })),
        t0 + at_ms,
      ),
    );
  const take = async (at_ms: number, key = 'claim x', day?: string) => (await takeAll(at_ms, [key], day))[0];

  it('allows a bucket’s burst at once, then one call a step, and returns the wait', async () => {
    const waits = [];
    for (let count = 0; count < 8; count++) waits.push(await take(0));
    expect(waits.slice(0, 7)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(waits[7]).toBeCloseTo(60_000 / 7, -1);
    expect(await take(4000)).toBeCloseTo(60_000 / 7 - 4000, -1);
    expect(await take(8572)).toBe(0);
    expect(await take(8572)).toBeGreaterThan(8000);
    expect(await take(0, 'claim y')).toBe(0);
  });
  it('lets callers wait at most for a whole bucket after the clock was set back', async () => {
    const aYear_ms = 365 * 86_400_000;
    for (let count = 0; count < 3; count++) await take(aYear_ms);
    expect(await take(0)).toBeCloseTo(60_000 / 7, -1);
    expect(await take(8572)).toBe(0);
  });
  it('never takes more than there are from many callers at once', async () => {
    const waits = await Promise.all(Array.from({ length: 50 }, () => take(0)));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(7);
  });
  it('takes nothing in a transaction that fails', async () => {
    const failing = () =>
      store().write(async (tx) => {
        await tx.limits.take([{ key: 'claim x', day: undefined, ...bucket }], t0);
        throw new Error('undone');
      });
    for (let count = 0; count < 10; count++) await expect(failing()).rejects.toThrow('undone');
    expect(await take(0)).toBe(0);
  });
  it('takes a call from those of several buckets that have room, and returns the wait of each', async () => {
    for (let count = 0; count < 7; count++) await take(0, 'claim full');
    const [first, full, last] = await takeAll(0, ['claim x', 'claim full', 'claim y']);
    expect([first, last]).toEqual([0, 0]);
    expect(full).toBeCloseTo(60_000 / 7, -1);
    for (let count = 0; count < 6; count++) expect(await takeAll(0, ['claim y', 'claim x'])).toEqual([0, 0]);
    expect(Math.min(...(await takeAll(0, ['claim x', 'claim y'])))).toBeGreaterThan(8000);
  });
  it('keeps one key a day: the first one counts', async () => {
    const add = (secret: string) => store().write((tx) => tx.limits.addDailyKey('2026-11-21', secret));
    expect([await add('first'), await add('second')]).toEqual(['first', 'first']);
    expect(await store().write((tx) => tx.limits.dailyKey('2026-11-21'))).toBe('first');
    expect(await store().write((tx) => tx.limits.dailyKey('2026-11-22'))).toBeUndefined();
  });
  it('purges full buckets, and what belongs to a past day', async () => {
    for (let count = 0; count < 7; count++) await take(0, 'claim full');
    for (let count = 0; count < 8; count++) await take(30_000, 'claim used');
    for (let count = 0; count < 8; count++) await take(30_000, 'claim network', '2026-11-20');
    await store().write(async (tx) => {
      await tx.limits.addDailyKey('2026-11-20', 'over');
      await tx.limits.addDailyKey('2026-11-21', 'today');
      await tx.limits.purge(t0 + 60_001, '2026-11-21');
    });
    // A forgotten bucket starts anew, even at an earlier time.
    expect(await take(0, 'claim full')).toBe(0);
    expect(await take(30_000, 'claim used')).toBeGreaterThan(8000);
    expect(await take(30_000, 'claim network', '2026-11-21')).toBe(0);
    expect(await store().write((tx) => tx.limits.dailyKey('2026-11-20'))).toBeUndefined();
    expect(await store().write((tx) => tx.limits.dailyKey('2026-11-21'))).toBe('today');
  });
}
