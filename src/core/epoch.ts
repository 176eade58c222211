/** 'all' if they are unknown or too many to name. */
type ChangedKeys = readonly string[] | 'all';

interface Cached {
  drop(keys: readonly string[]): void;
  clear(): void;
  /** If a write changes more keys, all values are dropped; unlimited by default. */
  readonly most?: number;
}

/**
 * Keeps a cache from storing old values: none is stored if a write ended since its read began, even one of
 * other keys.
 */
export function createEpoch({ drop, clear, most = Number.POSITIVE_INFINITY }: Cached) {
  let epoch = 0;
  return {
    /** Call it before a value is read. The result tells whether it may still be stored. */
    begin() {
      const begunIn = epoch;
      return (): boolean => begunIn === epoch;
    },
    change(keys: ChangedKeys): void {
      epoch += 1;
      if (keys === 'all' || keys.length > most) clear();
      else drop(keys);
    },
  };
}
