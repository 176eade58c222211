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
  expect(begun).toEqual([0, 1, 2, 3]);
  expect(journal).toEqual(['10.0.0.1', '10.1.0.1', '10.2.0.1']);
});

it('networks take turns, and within one the caller that waits longest is next', async () => {
  const { journal, search } = createJournal();
  const many = ['first', 'second', 'third', 'fourth'].map((name) => search('192.0.2.1', name));
  const few = ['one', 'two'].map((name) => search('198.51.100.1', name));
  await Promise.all([...many, ...few, search('203.0.113.1', 'late'), search('198.51.100.2', 'neighbour')]);
  expect(journal).toEqual(['first', 'one', 'late', 'second', 'two', 'third', 'neighbour', 'fourth']);
});

it('when more than 50 wait for a place, the network that has the most of them gives up one', async () => {
  const { journal, search } = createJournal();
  const others = Array.from({ length: 20 }, (_, n) => search(`10.${n}.0.1`));
  const many = Array.from({ length: 3 }, (_, n) => search(`192.0.2.${n}`, `${n} of many`));
  const late = Array.from({ length: 48 }, (_, n) => search(`10.${20 + n}.0.1`));
  await expect(many[2]).rejects.toMatchObject(unavailable);
  await Promise.all([...others, ...many.slice(0, 2), ...late]);
  expect(journal).toHaveLength(70);
});

it('of one network four run at once, and of another one as many', async () => {
  const { run } = createSearches({ ...settings, limitOverrides: {} });
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const search = (network: string) =>
    run({ network, now_ms: 0 }, () => {
      begun.push(network);
      return promise;
    });
  const all = ['192.0.2.1', '192.0.2.2', '198.51.100.1'].flatMap((network) =>
    Array.from({ length: 5 }, () => search(network)),
  );
  for (let turn = 0; turn < 40; turn++) await nextTurn();
  expect(begun.filter((one) => one.startsWith('192.0.2.'))).toHaveLength(4);
  expect(begun.filter((one) => one.startsWith('198.51.100.'))).toHaveLength(4);
  resolve();
  await Promise.all(all);
  expect(begun).toHaveLength(15);
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
