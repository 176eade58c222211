import { type ImportCounts, zeroImportCounts } from '../evidence/import-run.ts';

/** Mutable counts, for counting. */
export type Counting = { -readonly [Name in keyof ImportCounts]: number };

/** Counts of zero. */
export const createCounts = (): Counting => ({ ...zeroImportCounts });

/** The sum of two counts. */
export function addCounts(a: ImportCounts, b: ImportCounts): ImportCounts {
  const sum = createCounts();
  for (const name of Object.keys(sum) as (keyof Counting)[]) sum[name] = a[name] + b[name];
  return sum;
}
