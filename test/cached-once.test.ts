import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { cachedOnce } from '../src/core/cached-once.ts';

/** A clock that tests move. */
const createClock = () => {
  let now_ms = Date.parse('2026-11-22T00:00:00Z');
  return {
    clock: () => new Date(now_ms),
    wait(seconds: number) {
      now_ms += seconds * 1000;
    },
  };
};

it('reads once for all who ask at the same time, and again once its time is over, however often it is used', async () => {
  const { clock, wait } = createClock();
  let read = 0;
  const cached = cachedOnce(
    async (key) => {
      read += 1;
      return `${key} ${read}`;
    },
    { most: 10, ttl_ms: 100_000, clock },
  );
  expect(await Promise.all([cached('a'), cached('a'), cached('b')])).toEqual(['a 1', 'a 1', 'b 2']);
  for (let used = 0; used < 9; used += 1) {
    wait(11);
    expect(await cached('a')).toBe('a 1');
  }
  wait(11);
  expect(await cached('a')).toBe('a 3');
});

it('keeps nothing that was rejected', async () => {
  let read = 0;
  const cached = cachedOnce(async () => {
    read += 1;
    if (read === 1) throw new Error('the database is away');
    return read;
  });
  await expect(cached()).rejects.toThrow('the database is away');
  expect([await cached(), await cached()]).toEqual([2, 2]);
});

it('keeps a failure for a shorter time', async () => {
  const { clock, wait } = createClock();
  let read = 0;
  const cached = cachedOnce(
    async () => {
      read += 1;
      return read;
    },
    { ttl_ms: 100_000, isFailure: (value) => value === 1, failureTtl_ms: 10_000, clock },
  );
  expect([await cached(), await cached()]).toEqual([1, 1]);
  wait(11);
  expect([await cached(), await cached()]).toEqual([2, 2]);
  wait(99);
  expect(await cached()).toBe(2);
});

it('keeps what was used last of what weighs no more than it may in all, and nothing that is heavier alone', async () => {
  const weights: Readonly<Record<string, number>> = { a: 6, b: 3, c: 5, d: 20 };
  const read: string[] = [];
  const cached = cachedOnce(
    async (key) => {
      read.push(key);
      return weights[key] ?? 0;
    },
    { most: 10, weigh: (weight) => weight },
  );
  for (const key of ['a', 'b', 'a', 'c', 'b', 'd', 'd', 'b']) {
    await cached(key);
    // A value is weighed only after its waiting callers have it.
    await setImmediate();
  }
  expect(read.join('')).toBe('abcbdd');
});
