import { expect, it } from 'vitest';
import { partOf } from '../../support/long.ts';
import { playHistories } from './play.ts';

it('audit, caches, facets and claims agree whatever people, publishers and the operator do', async () => {
  const figures = await playHistories('Histories', { count: partOf(2, 500), seed: 1 });
  expect(figures).toMatchObject({ ended: 0, taken: 0 });
  expect(figures.steps).toBeGreaterThan(20);
}, 7_200_000);
