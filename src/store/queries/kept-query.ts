import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from '../engine.ts';

type Read = (given: unknown) => unknown;

/** Stands in a kept query for a value that each call brings. */
class Place {
  readonly read: Read;
  constructor(read: Read) {
    this.read = read;
  }
}

/** The same lists and rows, with a place for each value. */
function toPlaces(sample: unknown, read: Read): unknown {
  const placeOf = (name: string | number, one: unknown) =>
    toPlaces(one, (given) => (read(given) as Record<string | number, unknown>)[name]);
  if (Array.isArray(sample)) return sample.map((one, at) => placeOf(at, one));
  if (typeof sample !== 'object' || sample === null) return new Place(read);
  return Object.fromEntries(Object.entries(sample).map(([name, one]) => [name, placeOf(name, one)]));
}

/** How long the lists are: with more or fewer rows it is another query. */
const toShape = (given: readonly unknown[]): string =>
  given.map((one) => (Array.isArray(one) ? one.length : '')).join();

/**
 * A query that is built and compiled once for each engine and number of rows: that takes longer than SQLite takes to
 * answer. `build` sees a place for each value, so it may not look at values; rows have the same columns each time.
 */
export function keepQuery<Given extends readonly unknown[], Row>(
  build: (db: Db, ...given: Given) => Compilable<Row>,
): (db: Db, ...given: Given) => Promise<Row[]> {
  const kept = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return async (db, ...given) => {
    const { adapter } = db.getExecutor();
    const queries = kept.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    kept.set(adapter, queries);
    const shape = toShape(given);
    const query = queries.get(shape) ?? build(db, ...(toPlaces(given, (all) => all) as Given)).compile();
    queries.set(shape, query);
    const parameters = query.parameters.map((one) => (one instanceof Place ? one.read(given) : one));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
