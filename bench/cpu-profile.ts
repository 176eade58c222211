import { readFileSync } from 'node:fs';

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
}
interface CpuProfile {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Where processor time was spent, and its share of all time that was not idle. */
export interface Spent {
  readonly place: string;
  readonly share: number;
}

/** Time in SQLite counts for the functions that call it, which do nothing else. */
const isSqlite = (path: string, functionName: string) =>
  path === 'src/app/sqlite-store.ts' && ['run', 'all', 'iterate'].includes(functionName);

/** One of our files, a package, a module of Node, or what the engine does itself. */
export function placeOf({ functionName, url }: Node['callFrame']): string {
  const [, path] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  if (path) return path;
  const [, own] = /\/((?:src|bench)\/[^?]+)$/.exec(url) ?? [];
  if (own) return isSqlite(own, functionName) ? 'SQLite itself' : own;
  if (url.startsWith('node:')) return url;
  return functionName || '(engine)';
}

const isIdle = (place: string) => place === '(idle)' || place === '(program)';

/** Self time in a profile of `node --cpu-prof`, grouped by `nameOf` of each frame, longest first. */
export function spentBy(file: string, nameOf: (frame: Node['callFrame']) => string): Spent[] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const spent = new Map<string, number>();
  let all = 0;
  for (const [at, id] of samples.entries()) {
    const frame = frames.get(id);
    if (!frame || isIdle(placeOf(frame))) continue;
    const time = timeDeltas[at] ?? 0;
    all += time;
    spent.set(nameOf(frame), (spent.get(nameOf(frame)) ?? 0) + time);
  }
  return [...spent].map(([place, time]) => ({ place, share: time / all })).sort((a, b) => b.share - a.share);
}

/** A frame by place and function. */
export const functionOf = (frame: Node['callFrame']): string =>
  `${placeOf(frame)} ${frame.functionName || '(anonymous)'}`;
