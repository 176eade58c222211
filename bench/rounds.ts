import { drive, type Figures, type Load, requestOnce } from './load.ts';
import { median } from './quantile.ts';

/** How long to measure. */
export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
}

const medians = (rounds: readonly Figures[]): Figures => ({
  rate: median(rounds.map(({ rate }) => rate)),
  p50_ms: median(rounds.map(({ p50_ms }) => p50_ms)),
  p99_ms: median(rounds.map(({ p99_ms }) => p99_ms)),
  cpu_us: median(rounds.map(({ cpu_us }) => cpu_us)),
});

/**
 * Runs a thing of each name once a round, one after the other, after one round to warm up; answers by name.
 */
export async function interleave<Name extends string, T>(
  names: readonly Name[],
  rounds: number,
  run: (name: Name) => Promise<T>,
): Promise<Map<Name, T[]>> {
  const results = new Map<Name, T[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const result = await run(name);
      if (round > 0) results.get(name)?.push(result);
    }
    process.stderr.write(round === 0 ? 'warm' : ` ${round}/${rounds}`);
  }
  process.stderr.write('\n');
  return results;
}

/** Medians of each load, by its name. */
export async function measureLoads(
  loads: readonly Load[],
  { rounds, seconds }: Effort,
): Promise<Map<string, Figures>> {
  for (const load of loads) await requestOnce(load);
  const byName = new Map(loads.map((load) => [load.name, load]));
  const results = await interleave([...byName.keys()], rounds, (name) => {
    const load = byName.get(name);
    if (!load) throw new Error(`no load ${name}`);
    return drive(load, seconds);
  });
  return new Map([...results].map(([name, measured]) => [name, medians(measured)]));
}
