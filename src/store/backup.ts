import { createHash } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { attempt } from '../core/json.ts';
import { dayText } from '../core/text.ts';
import { withAnyTable } from './query.ts';
import type { Engine, Load, StoreDump } from './store.ts';
import type { AnyTable, StoredRow, TableBackup } from './table.ts';

const formatName = 'dossier-backup';
/** Increased with the form of lines, and with tables, columns or values. */
const formatVersion = 9;

/** Of a line with several rows. */
const mostLineText_bytes = 256 * 1024;
/** JSON may escape a byte as six. */
const longestLine_bytes = 256 * 1024 * 1024;

const rowCounts = z.record(z.string(), z.number().int().min(0));
const cell = z.union([z.string(), z.int(), z.null()]);

/** In all versions. */
const headerOfAnyVersion = z.object({
  format: z.literal(formatName),
  version: z.int(),
  dossier: z.string().regex(/^[\w.+-]{1,40}$/),
  created_at: z.iso.datetime(),
  /** At that time. */
  checkpoint: z.string().optional(),
});
const headerLine = headerOfAnyVersion.extend({
  version: z.literal(formatVersion),
  rows: rowCounts,
});
/** Up to 500 rows of a table. */
const batchLine = z.object({ table: z.string(), columns: z.array(z.string()), rows: z.array(z.array(cell)) });
/** `sha256` (hex): of all lines between the first and this last one. */
const endLine = z.object({ end: z.object({ rows: rowCounts, sha256: z.string() }) });

export type BackupHeader = z.output<typeof headerLine>;

type BackedUpTable = AnyTable & { readonly backup: TableBackup };

/** Rows of the last one mark a complete database. */
const toBackedUp = (tables: readonly AnyTable[]): readonly BackedUpTable[] =>
  tables
    .filter((table): table is BackedUpTable => table.backup !== undefined)
    .toSorted((a, b) => Number(a.backup.isLast) - Number(b.backup.isLast));

function markOf(tables: readonly AnyTable[]): BackedUpTable {
  const mark = toBackedUp(tables).at(-1);
  if (!mark?.backup.isLast) throw new Error('no table marks a complete database');
  return mark;
}

/** Measured, deleted or in a batch. */
const batchRows = 500;

const keyColumns = ({ backup }: BackedUpTable): RawBuilder<unknown> =>
  sql.join(backup.key.map((column) => sql.ref(column)));

const keyOfTable = ({ backup }: BackedUpTable, row: StoredRow): RawBuilder<unknown> =>
  sql.join(backup.key.map((column) => row[column]));

/** Rows in each, of the first 500. */
async function countBatches(
  db: QueryExecutorProvider,
  rows: RawBuilder<unknown>,
  columns: readonly string[],
): Promise<number[]> {
  const lengths = columns.map((name) => sql`coalesce(octet_length(cast(${sql.ref(name)} as text)), 0)`);
  const sizes = await sql<{ bytes: number }>`select ${sql.join(lengths, sql` + `)} as bytes ${rows}
    limit ${batchRows}`.execute(db);
  const counts: number[] = [];
  let count = 0;
  let sum_bytes = 0;
  for (const bytes of sizes.rows.map((row) => Number(row.bytes))) {
    if (count > 0 && sum_bytes + bytes > mostLineText_bytes) {
      counts.push(count);
      [count, sum_bytes] = [0, 0];
    }
    count += 1;
    sum_bytes += bytes;
  }
  return count > 0 ? [...counts, count] : counts;
}

/** The same on every engine. */
async function* readTable(
  db: QueryExecutorProvider,
  table: BackedUpTable,
): AsyncGenerator<readonly StoredRow[], void> {
  const [any] = (await sql<StoredRow>`select * from ${sql.table(table.name)} limit 1`.execute(db)).rows;
  const columns = Object.keys(any ?? {});
  let last: StoredRow | undefined;
  const next = () => {
    const after = last ? sql`where (${keyColumns(table)}) > (${keyOfTable(table, last)})` : sql``;
    return sql`from ${sql.table(table.name)} ${after} order by ${keyColumns(table)}`;
  };
  while (any) {
    const counts = await countBatches(db, next(), columns);
    if (counts.length === 0) return;
    for (const count of counts) {
      const { rows } = await sql<StoredRow>`select * ${next()} limit ${count}`.execute(db);
      last = rows.at(-1);
      yield rows;
    }
  }
}

async function countRows(
  db: QueryExecutorProvider,
  tables: readonly AnyTable[],
): Promise<StoreDump['counts']> {
  const counts: Record<string, number> = {};
  for (const { name } of toBackedUp(tables)) {
    const query = sql<{ rows: number }>`select count(*) as rows from ${sql.table(name)}`;
    counts[name] = Number((await query.execute(db)).rows[0]?.rows);
  }
  return counts;
}

/** Of one moment, whatever is written meanwhile (docs/decisions/store.md). */
export const dumpStore = <T>(
  engine: Engine,
  tables: readonly AnyTable[],
  work: (dump: StoreDump) => Promise<T>,
): Promise<T> =>
  engine.snapshot(async (db) =>
    work({
      counts: await countRows(db, tables),
      async *read() {
        for (const table of toBackedUp(tables))
          for await (const rows of readTable(db, table)) yield { table: table.name, rows };
      },
    }),
  );

async function hasRows(db: QueryExecutorProvider, { name }: AnyTable): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(name)} limit 1`.execute(db);
  return rows.length > 0;
}

export const isComplete = (db: QueryExecutorProvider, tables: readonly AnyTable[]): Promise<boolean> =>
  hasRows(db, markOf(tables));

/** The marking rows are missing only during a load, and after one that did not finish. */
async function readState(db: QueryExecutorProvider, tables: readonly AnyTable[]) {
  if (!(await isComplete(db, tables))) return 'interrupted';
  for (const table of toBackedUp(tables).slice(0, -1)) if (await hasRows(db, table)) return 'in use';
  return 'new';
}

const clearTable = (db: QueryExecutorProvider, { name }: AnyTable) =>
  sql`delete from ${sql.table(name)}`.execute(db);

/** For what depends on loaded rows. Removed rows have only their keys. */
export type Follow<Schema> = (
  db: Kysely<Schema>,
  change: {
    readonly table: string;
    readonly removed: readonly StoredRow[];
    readonly added: readonly StoredRow[];
  },
) => Promise<void>;

interface Loading<Schema> {
  readonly tables: readonly AnyTable[];
  readonly commit: <T>(work: (db: Kysely<Schema>) => Promise<T>) => Promise<T>;
  readonly follow: Follow<Schema>;
}

async function clearBatch<Schema>({ follow }: Loading<Schema>, db: Kysely<Schema>, table: BackedUpTable) {
  const first = sql<StoredRow>`select ${keyColumns(table)} from ${sql.table(table.name)}
    order by ${keyColumns(table)} limit ${batchRows}`;
  const { rows } = await first.execute(db);
  const last = rows.at(-1);
  if (!last) return false;
  await follow(db, { table: table.name, removed: rows, added: [] });
  const upToLast = sql`where (${keyColumns(table)}) <= (${keyOfTable(table, last)})`;
  await sql`delete from ${sql.table(table.name)} ${upToLast}`.execute(db);
  return true;
}

/** The database refuses unknown columns and missing values. */
const insert = <Schema>(db: Kysely<Schema>, { name, backup }: BackedUpTable, rows: readonly StoredRow[]) =>
  withAnyTable(db).insertInto(name).values(rows.map(backup.toRestored)).execute();

/** Fails once another load of the database has finished. */
const whileLoading = <Schema>(loading: Loading<Schema>): Loading<Schema> => ({
  ...loading,
  commit: (work) =>
    loading.commit(async (db) => {
      if (await isComplete(db, loading.tables))
        throw new Error('another restore into this database has ended in the meantime');
      return work(db);
    }),
});

/** The marking rows keep other loads out, and go again if the counts are wrong. */
async function finish<Schema>(
  engine: Engine,
  loading: Loading<Schema>,
  { marks, counts }: { readonly marks: readonly StoredRow[]; readonly counts: Parameters<Load['finish']>[0] },
): Promise<void> {
  const { tables } = loading;
  if (marks.length === 0) throw new Error('the backup contains no log');
  await whileLoading(loading).commit((db) => insert(db, markOf(tables), marks));
  const found = await engine.snapshot((db) => countRows(db, tables));
  const wrong = toBackedUp(tables).filter(({ name }) => found[name] !== counts[name]);
  if (wrong.length === 0) return;
  await loading.commit((db) => clearTable(db, markOf(tables)));
  throw new Error(`wrong number of rows in ${wrong.map(({ name }) => name).join(', ')}`);
}

/**
 * Fills a new database, or one of an interrupted load. No service starts with it until `finish`. Undefined,
 * without a change, if it is in use.
 */
export async function loadStore<Schema>(engine: Engine, loading: Loading<Schema>): Promise<Load | undefined> {
  const { tables, commit, follow } = loading;
  const state = await commit(async (db) => {
    const found = await readState(db, tables);
    if (found === 'new') await clearTable(db, markOf(tables));
    return found;
  });
  if (state === 'in use') return undefined;
  const step = whileLoading(loading);
  for (const table of state === 'interrupted' ? toBackedUp(tables) : [])
    while (await step.commit((db) => clearBatch(loading, db, table)));
  const marks: StoredRow[] = [];
  return {
    async put(name, rows) {
      const table = toBackedUp(tables).find((one) => one.name === name);
      if (!table) throw new Error(`unknown table ${name}`);
      if (table.backup.isLast) marks.push(...rows);
      else if (rows.length > 0)
        await step.commit(async (db) => {
          await insert(db, table, rows);
          await follow(db, { table: name, removed: [], added: rows });
        });
    },
    finish: (counts) => finish(engine, loading, { marks, counts }),
  };
}

async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (let chunk of chunks) {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10)) {
      yield Buffer.concat([...parts, chunk.subarray(0, at + 1)]);
      [parts, length, chunk] = [[], 0, chunk.subarray(at + 1)];
    }
    parts.push(chunk);
    length += chunk.length;
    if (length > longestLine_bytes) throw new Error('damaged: a line is too long');
  }
  if (length > 0) throw new Error('truncated');
}

const parse = (line: Buffer | undefined): unknown =>
  attempt(() => JSON.parse(line?.toString('utf8') ?? '') as unknown);

function toHeader(parsed: unknown): BackupHeader {
  const other = headerOfAnyVersion.safeParse(parsed).data;
  if (!other) throw new Error('not a backup of this service');
  if (other.version !== formatVersion)
    throw new Error(
      `backup format ${other.version} cannot be read by this version (it reads ${formatVersion}); only the release or checkout of Dossier ${other.dossier} that made it on ${dayText(other.created_at)} restores it`,
    );
  const read = headerLine.safeParse(parsed);
  if (!read.success) throw new Error('damaged in its first line');
  return read.data;
}

function toBatch(parsed: unknown) {
  const read = batchLine.safeParse(parsed);
  const { table = '', columns = [], rows = [] } = read.data ?? {};
  if (!read.success || !rows.every(({ length }) => length === columns.length)) throw new Error('damaged');
  const toRow = (cells: readonly (string | number | null)[]) =>
    Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? null]));
  return { table, rows: rows.map(toRow) };
}

async function* readBatches(lines: AsyncIterator<Buffer, void>, { rows }: BackupHeader) {
  const digest = createHash('sha256');
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const parsed = parse(next.value);
    const last = endLine.safeParse(parsed).data?.end;
    if (!last) {
      digest.update(next.value);
      yield toBatch(parsed);
      continue;
    }
    const areCountsEqual = Object.keys({ ...rows, ...last.rows }).every(
      (table) => rows[table] === last.rows[table],
    );
    if (!areCountsEqual || last.sha256 !== digest.digest('hex')) throw new Error('damaged');
    if (!(await lines.next()).done) throw new Error('more data follows the end of the backup');
    return;
  }
  throw new Error('truncated');
}

/** Throws for the header; the batches throw if the rest is incomplete or damaged. */
export async function readBackup(chunks: AsyncIterable<Buffer>) {
  const lines = splitLines(chunks);
  const header = toHeader(parse((await lines.next()).value ?? undefined));
  return { header, batches: readBatches(lines, header) };
}

const toBackupLine = (value: object) => `${JSON.stringify(value)}\n`;

/**
 * Equal for equal data but for the header (docs/decisions/store.md). Throws if no restore would read a row.
 * `onRows`: so far.
 */
export async function* toBackupText(
  dump: StoreDump,
  made: Pick<BackupHeader, 'dossier' | 'created_at' | 'checkpoint'>,
  onRows: (done: number) => void,
): AsyncGenerator<string, void> {
  yield toBackupLine({ format: formatName, version: formatVersion, ...made, rows: dump.counts });
  const digest = createHash('sha256');
  const written: Record<string, number> = Object.fromEntries(
    Object.keys(dump.counts).map((table) => [table, 0]),
  );
  let done = 0;
  for await (const { table, rows } of dump.read()) {
    written[table] = (written[table] ?? 0) + rows.length;
    const columns = Object.keys(rows[0] ?? {});
    const line = toBackupLine({ table, columns, rows: rows.map((row) => Object.values(row)) });
    if (Buffer.byteLength(line) > longestLine_bytes)
      throw new Error(`a row of ${table} is too long for a backup`);
    digest.update(line);
    yield line;
    done += rows.length;
    onRows(done);
  }
  yield toBackupLine({ end: { rows: written, sha256: digest.digest('hex') } });
}
