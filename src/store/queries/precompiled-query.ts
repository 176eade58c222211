import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from '../engine.ts';

type Read = (given: unknown) => unknown;

/** Placeholder in a precompiled query for a value that each call supplies. */
class Placeholder {
  readonly read: Read;
  constructor(read: Read) {
    this.read = read;
  }
}

/** The same lists and rows with a placeholder for each value. */
function toPlaceholders(sample: unknown, read: Read): unknown {
  const placeholderOf = (name: string | number, one: unknown) =>
    toPlaceholders(one, (given) => (read(given) as Record<string | number, unknown>)[name]);
  if (Array.isArray(sample)) return sample.map((one, at) => placeholderOf(at, one));
  if (typeof sample !== 'object' || sample === null) return new Placeholder(read);
  return Object.fromEntries(Object.entries(sample).map(([name, one]) => [name, placeholderOf(name, one)]));
}

/** Lengths of the list parameters: another number of rows is another query. */
const toShape = (given: readonly unknown[]): string =>
  given.map((one) => (Array.isArray(one) ? one.length : '')).join();

/**
 * A query that is built and compiled once per engine and list length, because building one takes longer than SQLite
 * takes to run it. `build` receives a placeholder for each value, so it must not branch on values, and rows must have
 * the same columns in every call.
 */
export function precompileQuery<Given extends readonly unknown[], Row>(
  build: (db: Db, ...given: Given) => Compilable<Row>,
): (db: Db, ...given: Given) => Promise<Row[]> {
  const compiled = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return async (db, ...given) => {
    const { adapter } = db.getExecutor();
    const queries = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    compiled.set(adapter, queries);
    const shape = toShape(given);
    const query =
      queries.get(shape) ?? build(db, ...(toPlaceholders(given, (all) => all) as Given)).compile();
    queries.set(shape, query);
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? one.read(given) : one));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
