import { expect, it } from 'vitest';
import { partOf } from '../../support/long.ts';
import { playHistories } from './play.ts';

it('no claim ends because a host fails for an hour, or by a single reading', async () => {
  const figures = await playHistories('Hosts that fail', {
    count: partOf(2, 500),
    seed: 2,
    weights: { outage: 10, recheck: 4, wait: 6, rate: 4, act: 2 },
  });
  expect(figures).toMatchObject({ ended: 0, taken: 0 });
  expect(figures.hours).toBeGreaterThan(5);
}, 7_200_000);
