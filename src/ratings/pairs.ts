import { Holder } from '../core/identity.ts';

function createTimes() {
  const added: number[] = [];
  let sorted: Float64Array | undefined;
  return {
    add(time_ms: number) {
      added.push(time_ms);
      sorted = undefined;
    },
    countUntil(until_ms: number): number {
      sorted ??= Float64Array.from(added).sort();
      let from = 0;
      let to = sorted.length;
      while (from < to) {
        const middle = (from + to) >> 1;
        if ((sorted[middle] ?? Number.NaN) <= until_ms) from = middle + 1;
        else to = middle;
      }
      return from;
    },
  };
}

function createSpans() {
  const begins = createTimes();
  const ends = createTimes();
  return {
    add({ from_ms, until_ms }: PairHalf) {
      begins.add(from_ms);
      ends.add(until_ms);
    },
    /** Whole milliseconds. */
    meets: ({ from_ms, until_ms }: PairHalf) => begins.countUntil(until_ms) > ends.countUntil(from_ms - 1),
  };
}

/** From its first version to `pair_until`. */
export interface PairHalf {
  readonly source_root: string;
  readonly subject_handle: string;
  readonly from_ms: number;
  readonly until_ms: number;
}

/** `has` answers as `isPaired` (derive.ts), in memory. */
export function createPairs(holdersOf: (handle: string) => Iterable<string>) {
  const spans = new Map<string, ReturnType<typeof createSpans>>();
  return {
    add(half: PairHalf): void {
      const { id } = new Holder(half.source_root);
      for (const holder of holdersOf(half.subject_handle)) {
        const key = `${id} ${holder}`;
        const known = spans.get(key) ?? createSpans();
        spans.set(key, known);
        known.add(half);
      }
    },
    has(half: PairHalf): boolean {
      const { id } = new Holder(half.source_root);
      for (const holder of holdersOf(half.subject_handle))
        if (holder !== id && spans.get(`${holder} ${id}`)?.meets(half)) return true;
      return false;
    },
  };
}
