/** Which keys a write changed; 'all' if it is not known, or if there are too many to name. */
type ChangedKeys = readonly string[] | 'all';

interface Cached {
  /** Drops the values of some keys. */
  drop(keys: readonly string[]): void;
  /** Drops all values. */
  clear(): void;
  /**
   * A write that changes more keys than this drops all values, because that takes less time; default: none.
   */
  readonly most?: number;
}

/**
 * The rule by which a cache never stores an old value: what was read before a write ended may be older than
 * it, so a value is stored only if nothing changed since its read began, whichever key it has.
 */
export function createEpoch({ drop, clear, most = Number.POSITIVE_INFINITY }: Cached) {
  let epoch = 0;
  return {
    /** To be called before a value is read. Returns whether it may still be stored. */
    begin() {
      const begunIn = epoch;
      return (): boolean => begunIn === epoch;
    },
    /** To be called when a write has ended. */
    change(keys: ChangedKeys): void {
      epoch += 1;
      if (keys === 'all' || keys.length > most) clear();
      else drop(keys);
    },
  };
}
