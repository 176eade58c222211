/** The value below which a share of some values lies; 0 if there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

/** The middle one of some values; 0 if there are none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
