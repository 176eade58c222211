import { describe, expect, it } from 'vitest';
import { createSynthetic } from '../../bench/synthetic.ts';
import { openImporting } from '../support/importing.ts';

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const shareOf = <T>(values: readonly T[], holds: (value: T) => boolean) =>
  values.filter(holds).length / values.length;

describe('made-up listings', () => {
  const listings = 4000;
  const made = createSynthetic({ listings });
  const rows = Array.from({ length: listings }, (_, at) => made.entries(at)).flat();

  it('are the same for the same seed, others for another', () => {
    expect(createSynthetic({ listings }).entries(77)).toEqual(made.entries(77));
    expect(createSynthetic({ listings, seed: 2 }).entries(77)).not.toEqual(made.entries(77));
  });

  it('are spread as the real ones: lengths, repositories, publishers', () => {
    expect(new Set(rows.map(({ server }) => server.name)).size).toBe(4000);
    const descriptions = rows.map(({ server }) => String(server.description).length);
    expect(middle(descriptions)).toBeGreaterThan(74);
    expect(middle(descriptions)).toBeLessThan(90);
    const records = rows.map((row) => JSON.stringify(row).length);
    expect(middle(records)).toBeGreaterThan(600);
    expect(middle(records)).toBeLessThan(850);
    expect(shareOf(rows, ({ server }) => 'repository' in server)).toBeCloseTo(0.87, 1);
    const [first = ''] = made.handle(0).split('/');
    expect(shareOf(rows, ({ server }) => String(server.name).startsWith(`${first}/`))).toBeCloseTo(0.044, 2);
  });

  it('are read by the import, none quarantined, every version stored', async () => {
    const some = createSynthetic({ listings: 300, allVersions: true });
    const versions = Array.from({ length: 300 }, (_, at) => some.entries(at)).flat();
    expect(versions.length).toBeGreaterThan(450);
    const importing = await openImporting(versions);
    const { state, counts } = await importing.run();
    expect({ state, ...counts }).toMatchObject({
      state: 'done',
      rows_new: versions.length,
      rows_quarantined: 0,
      listings_new: 300,
    });
    await importing.close();
  });
});
