import type { Figures, Load } from './load.ts';
import { type Row, toRow } from './report.ts';
import { type Effort, measureLoads } from './rounds.ts';
import type { Server } from './server.ts';

/** A load and the share of the reference it must reach, where there is a goal. */
export interface Case extends Load {
  readonly goal?: number;
}

/** Figures by the name of their case. Throws for an unknown name. */
export interface Compared {
  readonly rows: readonly Row[];
  of(name: string): Figures;
}

/** Measures the cases in one run and puts each beside the first one, or the one that is named. */
export async function compare(
  cases: readonly Case[],
  effort: Effort,
  reference = cases[0]?.name ?? '',
): Promise<Compared> {
  const figures = await measureLoads(cases, effort);
  const of = (name: string): Figures => {
    const measured = figures.get(name);
    if (!measured) throw new Error(`${name} was not measured`);
    return measured;
  };
  return { rows: cases.map(({ name, goal }) => toRow(name, of(name), of(reference), goal)), of };
}

type Start = () => Promise<Server>;
type Started<Starts> = { readonly [Name in keyof Starts]: Server | Extract<Starts[Name], undefined> };

/** Starts servers one after the other, runs `work` with them, and stops them in any case. */
export async function withServers<Starts extends Readonly<Record<string, Start | undefined>>, T>(
  starts: Starts,
  work: (servers: Started<Starts>) => Promise<T>,
): Promise<T> {
  const servers: Record<string, Server> = {};
  try {
    for (const [name, start] of Object.entries(starts)) if (start) servers[name] = await start();
    return await work(servers as Started<Starts>);
  } finally {
    for (const server of Object.values(servers)) await server.stop();
  }
}
