import { expect, it } from 'vitest';
import { createSearches } from '../../src/limits/searches.ts';

const settings = { hasLimits: true, limitOverrides: { search: { burst: 4, refill_s: 400 } } };
const nextTurn = () => new Promise<void>((done) => setImmediate(done));
const unavailable = {
  code: 'unavailable',
  facts: { retry_after_s: 2, detail: 'Too many searches at the moment.' },
};

/** Searches that write down in what order they began, and what other work of the process did meanwhile. */
function createJournal({ run } = createSearches(settings)) {
  const journal: string[] = [];
  const search = (network: string, name = network) =>
    run({ network, now_ms: 0 }, () => Promise.resolve(journal.push(name)));
  return { journal, search };
}

it('begins one search in a turn of the event loop, so that other work goes on between two', async () => {
  const { journal, search } = createJournal();
  const all = Promise.all(['10.0.0.1', '10.1.0.1', '10.2.0.1'].map((network) => search(network)));
  const begun: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await new Promise<void>((done) => process.nextTick(done));
    await Promise.resolve();
    begun.push(journal.length);
    await nextTurn();
  }
  await all;
  expect(begun).toEqual([1, 2, 3, 3]);
  expect(journal).toEqual(['10.0.0.1', '10.1.0.1', '10.2.0.1']);
});

it('the caller that used the least of its limit is next, and within that the one that waits longest', async () => {
  const { journal, search } = createJournal();
  const many = ['first', 'second', 'third', 'fourth'].map((name) => search('192.0.2.1', name));
  const few = ['one', 'two'].map((name) => search('198.51.100.1', name));
  await Promise.all([...many, ...few, search('203.0.113.1', 'late')]);
  expect(journal).toEqual(['first', 'one', 'late', 'second', 'two', 'third', 'fourth']);
});

it('when more than 50 wait, the one that used most gives up its place', async () => {
  const { journal, search } = createJournal();
  const heavy = ['first', 'second', 'third', 'fourth'].map((name) => search('192.0.2.1', name));
  const others = Array.from({ length: 48 }, (_, n) => search(`10.${n}.0.1`));
  await expect(heavy[3]).rejects.toMatchObject(unavailable);
  const last = search('10.200.0.1');
  await expect(heavy[2]).rejects.toMatchObject(unavailable);
  await Promise.all([heavy[0], heavy[1], ...others, last]);
  expect(journal).toHaveLength(51);
  expect([journal[0], journal.at(-1)]).toEqual(['first', 'second']);
});

it('at most 20 wait for the database, and one that fails makes room', async () => {
  const { run } = createSearches(settings);
  const { promise, reject } = Promise.withResolvers<never>();
  let began = 0;
  const searches = Array.from({ length: 21 }, (_, n) =>
    run({ network: `10.${n}.0.1`, now_ms: 0 }, () => {
      began += 1;
      return promise;
    }),
  );
  const settled = Promise.allSettled(searches);
  for (let turn = 0; turn < 40; turn++) await nextTurn();
  expect(began).toBe(20);
  reject(new Error('lost'));
  expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(began).toBe(21);
});

it('of callers that used half of their limit one searches at a time, however many turns it takes', async () => {
  const { run } = createSearches(settings);
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const search = (network: string, name: string, work = Promise.resolve()) =>
    run({ network, now_ms: 0 }, () => {
      begun.push(name);
      return work;
    });
  for (const network of ['192.0.2.1', '198.51.100.1'])
    for (const name of ['first', 'second']) await search(network, name);
  begun.length = 0;
  const all = [
    search('192.0.2.1', 'long', promise),
    search('198.51.100.1', 'waits'),
    search('203.0.113.1', 'of another'),
  ];
  await expect.poll(() => begun.toSorted()).toEqual(['long', 'of another']);
  for (let turn = 0; turn < 400; turn++) await nextTurn();
  expect(begun).not.toContain('waits');
  resolve();
  await Promise.all(all);
  expect(begun.at(-1)).toBe('waits');
});

it('the limit refuses before a search waits; with LIMITS=off, and of its own process, none is refused', async () => {
  const { search } = createJournal();
  for (let count = 0; count < 4; count++) await search('192.0.2.1');
  await expect(search('192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' });
  const off = createJournal(createSearches({ ...settings, hasLimits: false }));
  for (let count = 0; count < 6; count++) await off.search('192.0.2.1');
  for (let count = 0; count < 6; count++) await search('local');
  expect(off.journal).toHaveLength(6);
});

it('with LIMITS=off none is refused either when more than 50 wait', async () => {
  const { journal, search } = createJournal(createSearches({ ...settings, hasLimits: false }));
  await Promise.all(Array.from({ length: 80 }, () => search('192.0.2.1')));
  expect(journal).toHaveLength(80);
});
