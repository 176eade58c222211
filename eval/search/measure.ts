import type { Find } from './baseline.ts';
import type { JudgedQuery } from './judged.ts';
import type { KnownItem } from './known-items.ts';

/** Hits that count. */
export const shown = 5;

/** Answers to queries by one search, and how long they took. */
export interface Answers {
  readonly byQuery: ReadonlyMap<string, readonly string[]>;
  readonly mean_ms: number;
}

/** Asks every query once, one after the other. */
export async function ask(find: Find, queries: Iterable<string>): Promise<Answers> {
  const byQuery = new Map<string, readonly string[]>();
  const started = performance.now();
  for (const query of new Set(queries)) byQuery.set(query, await find(query));
  return { byQuery, mean_ms: (performance.now() - started) / Math.max(1, byQuery.size) };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Shares of known items that are the first hit, or among the first five. */
export function measureKnown({ byQuery }: Answers, items: readonly KnownItem[]) {
  const places = items.map(({ query, handle }) => (byQuery.get(query) ?? []).indexOf(handle));
  return {
    first: mean(places.map((at) => (at === 0 ? 1 : 0))),
    topFive: mean(places.map((at) => (at >= 0 && at < shown ? 1 : 0))),
  };
}

/** Precision at five, and the share of queries with a right hit among them. */
export function measureJudged({ byQuery }: Answers, queries: readonly JudgedQuery[]) {
  const right = queries.map(({ query, relevant }) => {
    const known = new Set(relevant);
    return (byQuery.get(query) ?? []).slice(0, shown).filter((handle) => known.has(handle)).length;
  });
  return {
    precision: mean(right.map((count) => count / shown)),
    success: mean(right.map((count) => (count > 0 ? 1 : 0))),
    deadEnds: queries.filter(({ query }) => (byQuery.get(query) ?? []).length === 0).length,
  };
}

/** The best precision that any search can have. */
export const bestPrecision = (queries: readonly JudgedQuery[]): number =>
  mean(queries.map(({ relevant }) => Math.min(relevant.length, shown) / shown));
