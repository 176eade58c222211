/** Numbers from 0 up to 1, the same ones for the same seed. */
export type Random = () => number;

/** Mulberry32: small, even enough for made-up rows. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks values as often as they were counted. */
export function createPicker<T>(
  counts: readonly (readonly [value: T, count: number])[],
): (random: Random) => T {
  let sum = 0;
  const ends = Float64Array.from(counts, ([, count]) => {
    sum += count;
    return sum;
  });
  return (random) => {
    const wanted = random() * sum;
    let from = 0;
    let to = ends.length - 1;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((ends[middle] ?? 0) > wanted) to = middle;
      else from = middle + 1;
    }
    const picked = counts[from];
    if (!picked) throw new RangeError('nothing to pick from');
    return picked[0];
  };
}

/** A value between neighbours of a list of quantiles. */
export function pickQuantile(quantiles: readonly number[], random: Random): number {
  const place = random() * (quantiles.length - 1);
  const low = quantiles[Math.floor(place)] ?? 0;
  const high = quantiles[Math.ceil(place)] ?? low;
  return Math.round(low + (high - low) * (place - Math.floor(place)));
}
