interface Cached {
  drop(keys: readonly string[]): void;
  clear(): void;
  /** A write of more keys drops all values; unlimited by default. */
  readonly most?: number;
}

/** A value is not stored if a write, even of other keys, ended since its read began. */
export function createEpoch({ drop, clear, most = Number.POSITIVE_INFINITY }: Cached) {
  let epoch = 0;
  return {
    /** Call it before a read. The result tells whether the value may be stored. */
    begin() {
      const begunIn = epoch;
      return (): boolean => begunIn === epoch;
    },
    change(keys: readonly string[] | 'all'): void {
      epoch += 1;
      if (keys === 'all' || keys.length > most) clear();
      else drop(keys);
    },
  };
}
