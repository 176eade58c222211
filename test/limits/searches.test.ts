import { expect, it } from 'vitest';
import { createSearches } from '../../src/limits/searches.ts';

const settings = { hasLimits: true, limitOverrides: {} };
let callers = 0;
/** A caller of a network of its own. */
const asked = () => ({ network: `10.${callers++}.0.1`, now_ms: 0 });
const nextTurn = () => new Promise<void>((done) => setImmediate(done));
const unavailable = {
  code: 'unavailable',
  facts: { retry_after_s: 2, detail: 'Too many searches at the moment.' },
};

/** Computes, as a search does, for so much time of the processor. */
const compute = async (length_ms: number) => {
  const { user, system } = process.threadCpuUsage();
  for (const end = (user + system) / 1000 + length_ms; ; ) {
    const now = process.threadCpuUsage();
    if ((now.user + now.system) / 1000 > end) return 'found';
  }
};

it('refuses further searches once those that came together have computed for 100 ms, until the next turn', async () => {
  const { run } = createSearches(settings);
  expect(await run(asked(), () => compute(60))).toBe('found');
  expect(await run(asked(), () => compute(60))).toBe('found');
  await expect(run(asked(), () => compute(1))).rejects.toMatchObject(unavailable);
  await nextTurn();
  expect(await run(asked(), () => compute(1))).toBe('found');
});

it('refuses the fifty-first while fifty wait for the database', async () => {
  const { run } = createSearches(settings);
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 50 }, () => run(asked(), () => promise));
  await expect(run(asked(), () => compute(0))).rejects.toMatchObject(unavailable);
  resolve('found');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['found']));
  expect(await run(asked(), () => compute(0))).toBe('found');
});

it('counts no search that it refused, and refuses none with LIMITS=off or of its own process', async () => {
  const { run } = createSearches({ ...settings, limitOverrides: { search: { burst: 1, refill_s: 60 } } });
  const late = asked();
  await run(asked(), () => compute(120));
  await expect(run(late, () => compute(0))).rejects.toMatchObject(unavailable);
  expect(await run({ network: 'local', now_ms: 0 }, () => compute(0))).toBe('found');
  await nextTurn();
  expect(await run(late, () => compute(0))).toBe('found');
  await expect(run(late, () => compute(0))).rejects.toMatchObject({ code: 'rate_limited' });
  const off = createSearches({ ...settings, hasLimits: false });
  for (let count = 0; count < 3; count++) expect(await off.run(late, () => compute(60))).toBe('found');
});
