import { type Compilable, type CompiledQuery, type Kysely, sql } from 'kysely';

export const withAnyTable = <Schema>(db: Kysely<Schema>) =>
  db as Kysely<unknown> as Kysely<Record<string, Record<string, unknown>>>;

export function upsert<Schema, Table extends keyof Schema & string>(
  db: Kysely<Schema>,
  table: Table,
  rows: Schema[Table] | readonly Schema[Table][],
  ...key: (keyof Schema[Table] & string)[]
) {
  const given = [rows].flat() as Record<string, unknown>[];
  const columns = Object.keys(given[0] ?? {});
  return withAnyTable(db)
    .insertInto<string>(table)
    .values(given)
    .onConflict((conflict) =>
      conflict
        .columns(key)
        .doUpdateSet(Object.fromEntries(columns.map((name) => [name, sql.ref(`excluded.${name}`)]))),
    );
}

/** Throws for an undefined key, which Kysely would leave out. */
export async function findOne<
  Schema,
  Table extends keyof Schema & string,
  Column extends keyof Schema[Table],
  Value,
>(
  db: Kysely<Schema>,
  table: Table,
  key: Pick<Schema[Table], Column>,
  { decode }: { decode(row: Schema[Table]): Value },
): Promise<Value | undefined> {
  if (Object.values(key).some((value) => value === undefined))
    throw new Error(`${table}: a key without a value`);
  const rows = withAnyTable(db).selectFrom(table);
  const row = await rows
    .selectAll()
    .where(({ and }) => and(key))
    .executeTakeFirst();
  return row && decode(row as Schema[Table]);
}

/** For few prepared statements. */
const sizes = [100, 10, 1] as const;

export async function inChunks<T>(rows: readonly T[], work: (chunk: readonly T[]) => Promise<unknown>) {
  for (let at = 0; at < rows.length; ) {
    const size = sizes.find((one) => one <= rows.length - at) ?? 1;
    await work(rows.slice(at, at + size));
    at += size;
  }
}

type RunQuery = (given: unknown) => unknown;

class Placeholder {
  readonly read: RunQuery;
  constructor(read: RunQuery) {
    this.read = read;
  }
}

function toPlaceholders(sample: unknown, read: RunQuery): unknown {
  const placeholderOf = (name: string | number, one: unknown) =>
    toPlaceholders(one, (given) => (read(given) as Record<string | number, unknown>)[name]);
  if (Array.isArray(sample)) return sample.map((one, at) => placeholderOf(at, one));
  if (typeof sample !== 'object' || sample === null) return new Placeholder(read);
  return Object.fromEntries(Object.entries(sample).map(([name, one]) => [name, placeholderOf(name, one)]));
}

/**
 * Compiled once for a Kysely instance and lengths of lists, because that takes longer than SQLite's run.
 * `build` receives placeholders, so it must not branch on values, and rows have the same columns in every
 * call.
 */
export function precompileQuery<Schema, Given extends readonly unknown[], Row>(
  build: (db: Kysely<Schema>, ...given: Given) => Compilable<Row>,
): (db: Kysely<Schema>, ...given: Given) => Promise<Row[]> {
  const compiled = new WeakMap<object, Map<string, CompiledQuery<Row>>>();
  return async (db, ...given) => {
    const { adapter } = db.getExecutor();
    const queries = compiled.get(adapter) ?? new Map<string, CompiledQuery<Row>>();
    compiled.set(adapter, queries);
    // Other numbers of rows need other queries.
    const shape = given.map((one) => (Array.isArray(one) ? one.length : '')).join();
    const query =
      queries.get(shape) ?? build(db, ...(toPlaceholders(given, (all) => all) as Given)).compile();
    queries.set(shape, query);
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? one.read(given) : one));
    return (await db.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Partial indexes need the literal; with a parameter, SQLite would plan each time. */
export const currentFlag = sql.lit(1);

/** Sorts after all that start with `prefix`. */
export const afterPrefix = (prefix: string): string => `${prefix}\u{10FFFF}`;
