import { median, quantile } from './quantile.ts';

/** Median and 99th percentile of one read, and the processor time of this process for one on average. */
export interface ReadTimes {
  readonly p50_us: number;
  readonly p99_us: number;
  readonly cpu_us: number;
}

/** Reads to measure, by name. */
export type Reads = Readonly<Record<string, () => Promise<unknown>>>;

/** A read of each value in turn, without end. */
export function over<T>(values: readonly T[], read: (value: T) => Promise<unknown>): () => Promise<unknown> {
  let at = 0;
  return () => read(values[at++ % values.length] as T);
}

/** Repeats a read for so long, one after the other. */
export async function timeRead(read: () => Promise<unknown>, duration_ms: number): Promise<ReadTimes> {
  const times_us: number[] = [];
  const before = process.cpuUsage();
  for (const end = performance.now() + duration_ms; performance.now() < end; ) {
    const started = performance.now();
    await read();
    times_us.push((performance.now() - started) * 1000);
  }
  const { user, system } = process.cpuUsage(before);
  return {
    p50_us: median(times_us),
    p99_us: quantile(times_us, 0.99),
    cpu_us: (user + system) / times_us.length,
  };
}

/** The medians over some rounds. */
export const mediansOf = (rounds: readonly ReadTimes[]): ReadTimes => ({
  p50_us: median(rounds.map(({ p50_us }) => p50_us)),
  p99_us: median(rounds.map(({ p99_us }) => p99_us)),
  cpu_us: median(rounds.map(({ cpu_us }) => cpu_us)),
});

/** A time as `730 us` or `2.6 ms`. */
export const toTimeText = (us: number): string =>
  us < 1000 ? `${us.toFixed(0)} us` : `${(us / 1000).toFixed(1)} ms`;
