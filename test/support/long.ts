/** Whether `npm run lab test:long` runs: whole tables and high counts, where `npm test` takes a part. */
export const isLong = process.env.TEST_LONG === 'on';

/** The part that `npm test` takes, or all for `npm run lab test:long`. */
export const partOf = <T>(part: T, all: T): T => (isLong ? all : part);

/** The seed of what is made by chance: the given one in `npm test`, a new one in `npm run lab test:long`. */
export const seedOf = (seed: number): number =>
  Number(process.env.SEED ?? (isLong ? Math.floor(Math.random() * 2 ** 31) : seed));
