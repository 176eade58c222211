import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChangedHandles, Store } from '../../src/store/store.ts';
import { createDatabase, openDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { makeListing } from './examples.ts';

let url: string;
let store: Store;
let operator: Client;
beforeEach(async () => {
  url = await createDatabase();
  store = await openDatabase(url);
  operator = new Client(url);
  await operator.connect();
});
afterEach(async () => {
  await operator.end();
  await store.close();
});

const cutAll = () =>
  operator.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
const put = (description: string) =>
  store.write((tx) => tx.listings.putListings([makeListing('a/one', 1, { description })]));

it('survives sessions that PostgreSQL ends during reads and writes, and reports unavailable', async () => {
  const failures: unknown[] = [];
  let isOver = false;
  let ended = 0;
  const work = async (once: () => Promise<unknown>) => {
    while (!isOver) {
      await once().catch((error: unknown) => failures.push(error));
      ended += 1;
    }
  };
  const working = [
    ...Array.from({ length: 4 }, (_, at) => work(() => put(`text ${at}`))),
    ...Array.from({ length: 4 }, () => work(() => store.documents.facts('a/one'))),
  ];
  for (let cut = 0; cut < 10; cut++) {
    const before = ended;
    await expect.poll(() => ended, { interval: 1 }).toBeGreaterThan(before + 20);
    await cutAll();
  }
  isOver = true;
  await Promise.all(working);
  expect(failures.length).toBeGreaterThan(0);
  expect([...new Set(failures.map((error) => store.failureOf(error)))]).toEqual(['unavailable']);
  await put('at last');
  expect((await store.documents.facts('a/one'))?.listing.description).toBe('at last');
  await expect.poll(() => store.isWell()).toBe(true);
});

it('ends a write that stands still, so that the writes waiting for it succeed', async () => {
  const other = await opened(openDatabase(url));
  const { promise: begun, resolve: hasBegun } = Promise.withResolvers<void>();
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const still = other.write(async (tx) => {
    await tx.listings.putListings([makeListing('a/two', 2)]);
    hasBegun();
    await goesOn;
  });
  await begun;
  await put('was waiting');
  goOn();
  expect(await still.catch((error: unknown) => other.failureOf(error))).toBe('unavailable');
  expect((await store.documents.facts('a/one'))?.listing.description).toBe('was waiting');
  expect(await store.documents.facts('a/two')).toBeUndefined();
});

it('treats a notification of another program as a change of everything', async () => {
  const received: ChangedHandles[] = [];
  store.onChange((changed) => received.push(changed));
  for (const payload of ['', 'no json', '{"node":1}', '{"node":1,"changed":[7]}', 'null'])
    await operator.query('select pg_notify($1, $2)', ['dossier_changed', payload]);
  await expect.poll(() => received).toEqual(['all', 'all', 'all', 'all', 'all']);
});

it('closes while its session is being reopened', async () => {
  for (const turns of [0, 1, 5, 20, 100]) {
    const other = await openDatabase(url);
    await cutAll();
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    await other.close();
  }
});
