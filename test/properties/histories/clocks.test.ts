import { expect, it } from 'vitest';
import { partOf } from '../../support/long.ts';
import { playHistories } from './play.ts';

it('an audit over HTTP accuses nobody, though the clocks of two nodes are seconds apart and jump', async () => {
  const figures = await playHistories('Clocks', {
    count: partOf(2, 500),
    seed: 8,
    isAudited: true,
    apart_s: [-40, -3, 3, 40],
    weights: { jump: 5, recheck: 4, outage: 1 },
  });
  expect(figures).toMatchObject({ ended: 0, taken: 0, accusations: 0 });
  expect(figures.audits).toBeGreaterThan(0);
}, 7_200_000);
