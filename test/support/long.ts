/** Whether `npm run test:long` runs: whole tables and high counts, of which `npm test` takes a fixed part. */
export const isLong = process.env.TEST_LONG === 'on';

/** The part that `npm test` takes, or all for `npm run test:long`. */
export const partOf = <T>(part: T, all: T): T => (isLong ? all : part);
