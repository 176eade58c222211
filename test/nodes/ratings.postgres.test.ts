import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Running } from '../../src/app/server.ts';
import { createNodes, type Nodes, post } from '../support/nodes.ts';
import { addSource } from '../support/rating-source.ts';
import { ratingOf } from '../support/ratings.ts';

let nodes: Nodes;
let both: readonly [Running, Running];
let store: Running['context']['store'];
let capability: string;
beforeEach(async () => {
  nodes = await createNodes();
  const settings = { LIMITS: 'off', PUBLIC_URL: 'https://dossier.example' };
  both = [await nodes.open(settings), await nodes.open(settings)];
  store = both[0].context.store;
  capability = await addSource(store);
});
afterEach(() => nodes.close());

type Answered = Record<string, unknown>;

/** Sends as many submissions at once, in turn to both nodes; answers what each was told. */
const race = (count: number, change: (at: number) => object): Promise<Answered[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const body = ratingOf('a/subject-0', {
        interaction_id: 'run-1',
        interaction_at: '2026-11-21T09:00:00Z',
        relationship: 'none',
        ...change(at),
      });
      const url = `${(at % 2 === 0 ? both[0] : both[1]).url}/api/tools/submit_rating`;
      return (await (await post(url, body, { authorization: `Bearer ${capability}` })()).json()) as Answered;
    }),
  );
const counted = (said: readonly Answered[]) =>
  Object.entries(Object.groupBy(said, ({ status, code }) => String(code ?? status)))
    .map(([what, all]) => `${what} ${all?.length}`)
    .sort();

it('one interaction sent thirty times to two nodes at once is one rating, the others are replays', async () => {
  const said = await race(30, () => ({}));
  expect(counted(said)).toEqual(['created 1', 'replayed 29']);
  expect(new Set(said.map(({ rating_id }) => rating_id)).size).toBe(1);
  expect(await store.log.size()).toBe(1);
  expect(await store.ratings.list('a/subject-0', { limit: 5, now: '2026-11-21T00:00:00.000Z' })).toHaveLength(
    1,
  );
});

it('one interaction submitted with thirty texts to two nodes at once is one rating, the others are refused', async () => {
  const said = await race(30, (at) => ({ comment: `said in way ${at}` }));
  expect(counted(said)).toEqual(['created 1', 'rating_exists 29']);
  expect(await store.log.size()).toBe(1);
});

it('one rating amended by two nodes at once is amended once', async () => {
  const [first] = await race(1, () => ({}));
  const said = await race(20, (at) => ({ supersedes: first?.rating_id, comment: `amended in way ${at}` }));
  expect(counted(said)).toEqual(['amended 1', 'rating_not_current 19']);
  expect(await store.log.size()).toBe(2);
  const records = await store.ratings.list('a/subject-0', { limit: 5, now: '2026-11-21T00:00:00.000Z' });
  expect(records.filter(({ superseded_by }) => superseded_by === undefined)).toHaveLength(1);
});

it('thirty interactions sent to two nodes at once are thirty entries of one log that has no gap', async () => {
  const said = await race(30, (at) => ({ interaction_id: `run-${at}` }));
  expect(counted(said)).toEqual(['created 30']);
  const places = said.map(({ log_index }) => Number(log_index)).sort((a, b) => a - b);
  expect(places).toEqual(Array.from({ length: 30 }, (_, at) => at));
  const [here, there] = await Promise.all(
    both.map(async ({ url }) => (await fetch(`${url}/log/checkpoint`)).text()),
  );
  expect(here?.split('\n')[1]).toBe('30');
  expect(there).toBe(here);
});
