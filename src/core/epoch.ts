/** The keys that a write changed, or 'all' if they are unknown or too many to name. */
type ChangedKeys = readonly string[] | 'all';

interface Cached {
  drop(keys: readonly string[]): void;
  clear(): void;
  /** If a write changes more keys than this, all values are dropped; unlimited by default. */
  readonly most?: number;
}

/**
 * Keeps a cache from storing old values. A value may be stored only if no write ended since its read began,
 * even if that write changed other keys.
 */
export function createEpoch({ drop, clear, most = Number.POSITIVE_INFINITY }: Cached) {
  let epoch = 0;
  return {
    /** Call this before a value is read. The result tells whether the value may still be stored. */
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
