import { expect, it } from 'vitest';
import { partOf } from '../../support/long.ts';
import { playHistories } from './play.ts';

it('an audit over HTTP accuses nobody, whatever backups are restored', async () => {
  const figures = await playHistories('Restored backups', {
    count: partOf(2, 500),
    seed: 7,
    isAudited: true,
    weights: { backUp: 6, restore: 6, read: 4, prove: 1 },
  });
  expect(figures).toMatchObject({ ended: 0, taken: 0, accusations: 0 });
  expect(figures.restored).toBeGreaterThan(0);
}, 7_200_000);
