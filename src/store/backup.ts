import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { attempt } from '../core/json.ts';
import type { Db, Dump, DumpedRow, DumpedTable, Engine, Load, Schema } from './store.ts';

const formatName = 'dossier-backup';
/** Raised when the form of the lines changes, or the tables, columns or values in them. */
const formatVersion = 5;

/** The rows of one line have at most this many bytes of text; a single row may have more. */
const mostLineText_bytes = 256 * 1024;
/** The longest line in UTF-8; JSON may escape one byte of a text as six. */
const longestLine_bytes = 256 * 1024 * 1024;

const rowCounts = z.record(z.string(), z.number().int().min(0));
const cell = z.union([z.string(), z.int(), z.null()]);

/** The first line, as far as every version of the format has it. */
const headerOfAnyVersion = z.object({
  format: z.literal(formatName),
  version: z.int(),
  dossier: z.string().regex(/^[\w.+-]{1,40}$/),
});
/** The first line: the version that made the backup, when, and the number of rows of each table. */
const headerLine = headerOfAnyVersion.extend({
  version: z.literal(formatVersion),
  created_at: z.iso.datetime(),
  rows: rowCounts,
});
/** A line between the first and the last: up to 500 rows of one table, fewer if they are long. */
const batchLine = z.object({ table: z.string(), columns: z.array(z.string()), rows: z.array(z.array(cell)) });
/**
 * The last line: the number of rows written of each table, and the SHA-256 of all lines but the first, hex.
 */
const endLine = z.object({ end: z.object({ rows: rowCounts, sha256: z.string() }) });

export type BackupHeader = z.output<typeof headerLine>;

/**
 * The tables of a backup with the keys that order their rows; log_head comes last and so marks a complete
 * database.
 */
const keys: { readonly [Table in DumpedTable]: readonly (keyof Schema[Table] & string)[] } = {
  listing: ['id'],
  listing_version: ['handle', 'version'],
  opt_out: ['handle', 'kind', 'place_key'],
  listing_reference: ['key', 'published_at', 'handle'],
  former_reference: ['key', 'handle'],
  payee: ['key', 'handle', 'network'],
  facet_count: ['facet'],
  publisher_count: ['namespace'],
  import_run: ['id'],
  quarantine: ['name', 'version'],
  claim: ['handle'],
  claim_event: ['log_index'],
  claim_key: ['kid'],
  receipt_key: ['handle', 'kid', 'valid_from'],
  capability: ['hash'],
  rating: ['id'],
  recorded_identity: ['handle', 'kind', 'value'],
  rating_response: ['rating_id'],
  spent_proof: ['digest'],
  observation: ['handle'],
  observation_change: ['log_index'],
  listed_surface: ['handle', 'remote', 'surface', 'digest'],
  evidence_change: ['seq'],
  webhook: ['id'],
  webhook_delivery: ['webhook_id', 'seq'],
  moderation: ['log_index'],
  feedback: ['id'],
  log_key: ['id'],
  log_leaf: ['log_index'],
  log_node: ['log', 'level', 'position'],
  log_record: ['log_index'],
  log_head: ['id'],
};

const dumpedTables = Object.keys(keys) as DumpedTable[];

/** The number of rows that are measured or deleted at once; no batch has more. */
const batchRows = 500;

/** The columns of a table's key as one value, for comparing and ordering. */
const keyColumns = (table: DumpedTable): RawBuilder<unknown> =>
  sql.join(keys[table].map((column) => sql.ref(column)));

const keyOf = (table: DumpedTable, row: DumpedRow): RawBuilder<unknown> =>
  sql.join(keys[table].map((column) => row[column]));

/**
 * The sizes of the batches into which the first 500 rows of a selection fit; a batch has at least one row.
 */
async function countBatches(
  db: Db,
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

/**
 * All rows of a table in the order of its key, in batches; order and batches are the same on every engine.
 */
async function* readTable(db: Db, table: DumpedTable): AsyncGenerator<readonly DumpedRow[], void> {
  const [any] = (await sql<DumpedRow>`select * from ${sql.table(table)} limit 1`.execute(db)).rows;
  const columns = Object.keys(any ?? {});
  let last: DumpedRow | undefined;
  const next = () => {
    const after = last ? sql`where (${keyColumns(table)}) > (${keyOf(table, last)})` : sql``;
    return sql`from ${sql.table(table)} ${after} order by ${keyColumns(table)}`;
  };
  while (any) {
    const counts = await countBatches(db, next(), columns);
    if (counts.length === 0) return;
    for (const count of counts) {
      const { rows } = await sql<DumpedRow>`select * ${next()} limit ${count}`.execute(db);
      last = rows.at(-1);
      yield rows;
    }
  }
}

async function countRows(db: Db): Promise<Dump['counts']> {
  const counts: Partial<Record<DumpedTable, number>> = {};
  for (const table of dumpedTables) {
    const query = sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`;
    counts[table] = Number((await query.execute(db)).rows[0]?.rows);
  }
  return counts as Dump['counts'];
}

/** Passes the state of one moment to `work`, whatever is written meanwhile (docs/decisions/store.md). */
export const dumpStore = <T>(engine: Engine, work: (dump: Dump) => Promise<T>): Promise<T> =>
  engine.snapshot(async (db) =>
    work({
      counts: await countRows(db),
      async *read() {
        for (const table of dumpedTables)
          for await (const rows of readTable(db, table)) yield { table, rows };
      },
    }),
  );

/** Tells whether a database is complete: no load into it is running or was interrupted. */
export const isComplete = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('log_head').select('id').limit(1).execute()).length > 0;

/** A new database has the head of an empty log; only a load removes it, until its end. */
async function readState(db: Db) {
  if (!(await isComplete(db))) return 'interrupted';
  for (const table of dumpedTables.filter((name) => name !== 'log_head')) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return 'in use';
  }
  return 'new';
}

/** Removes the head of a new database; returns the state before. */
async function takeHead(db: Db) {
  const state = await readState(db);
  if (state === 'new') await db.deleteFrom('log_head').execute();
  return state;
}

/** Removes listings from the search index and adds others. */
type ReplaceInIndex = (
  db: Db,
  change: { readonly removedIds: readonly number[]; readonly listings: readonly Schema['listing'][] },
) => Promise<void>;

type Commit = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

const isDumped = (table: string): table is DumpedTable => (dumpedTables as string[]).includes(table);

const idsOf = (rows: readonly DumpedRow[]) => rows.map(({ id }) => Number(id));

/** Deletes the first 500 rows of a table; returns false if there are none. */
async function clearBatch(replaceInIndex: ReplaceInIndex, db: Db, table: DumpedTable): Promise<boolean> {
  const first = sql<DumpedRow>`select ${keyColumns(table)} from ${sql.table(table)}
    order by ${keyColumns(table)} limit ${batchRows}`;
  const { rows } = await first.execute(db);
  const last = rows.at(-1);
  if (!last) return false;
  if (table === 'listing') await replaceInIndex(db, { removedIds: idsOf(rows), listings: [] });
  await sql`delete from ${sql.table(table)} where (${keyColumns(table)}) <= (${keyOf(table, last)})`.execute(
    db,
  );
  return true;
}

/** Deletes the rows of an interrupted load, one batch in each transaction. */
async function clear(replaceInIndex: ReplaceInIndex, commit: Commit): Promise<void> {
  for (const table of dumpedTables) while (await commit((db) => clearBatch(replaceInIndex, db, table)));
}

/**
 * A row as it is restored. Webhooks are paused, because a copy that is restored to be read must not post to
 * their addresses.
 */
const toRestored = (table: DumpedTable, row: DumpedRow): DumpedRow =>
  table === 'webhook' && row.state === 'active' ? { ...row, state: 'paused' } : row;

/** Inserts rows of a backup; the database checks their columns and values. */
const insert = (db: Db, table: DumpedTable, rows: readonly DumpedRow[]) =>
  db
    .$omitTables<DumpedTable>()
    .$extendTables<Record<DumpedTable, DumpedRow>>()
    .insertInto(table)
    .values(rows.map((row) => toRestored(table, row)))
    .execute();

/** Transactions of a load; they fail once another load into the same database has ended. */
const whileLoading =
  (commit: Commit): Commit =>
  (work) =>
    commit(async (db) => {
      if (await isComplete(db))
        throw new Error('another restore into this database has ended in the meantime');
      return work(db);
    });

/** Writes the heads, after which no other load writes, and removes them again if the row counts are wrong. */
async function finish(
  engine: Engine,
  commit: Commit,
  { heads, counts }: { readonly heads: readonly DumpedRow[]; readonly counts: Parameters<Load['finish']>[0] },
): Promise<void> {
  if (heads.length === 0) throw new Error('the backup contains no log');
  await whileLoading(commit)((db) => insert(db, 'log_head', heads));
  const found = await engine.snapshot(countRows);
  const wrong = dumpedTables.filter((table) => found[table] !== counts[table]);
  if (wrong.length === 0) return;
  await commit((db) => db.deleteFrom('log_head').execute());
  throw new Error(`wrong number of rows in ${wrong.join(', ')}`);
}

/**
 * Starts to fill a new database, or empties and fills one that an interrupted load has left. It has no log
 * until `finish`, so that no process opens it. Returns undefined, and changes nothing, if the database is in
 * use.
 */
export async function loadStore(
  engine: Engine,
  commit: Commit,
  replaceInIndex: ReplaceInIndex,
): Promise<Load | undefined> {
  const state = await commit(takeHead);
  if (state === 'in use') return undefined;
  const step = whileLoading(commit);
  if (state === 'interrupted') await clear(replaceInIndex, step);
  const heads: DumpedRow[] = [];
  const putRows = async (db: Db, table: DumpedTable, rows: readonly DumpedRow[]) => {
    await insert(db, table, rows);
    if (table !== 'listing') return;
    const listings = await db.selectFrom('listing').selectAll().where('id', 'in', idsOf(rows)).execute();
    await replaceInIndex(db, { removedIds: [], listings });
  };
  return {
    async put(table, rows) {
      if (!isDumped(table)) throw new Error(`unknown table ${table}`);
      if (table === 'log_head') heads.push(...rows);
      else if (rows.length > 0) await step((db) => putRows(db, table, rows));
    },
    finish: (counts) => finish(engine, commit, { heads, counts }),
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
      `backup format ${other.version} cannot be read by this version (it reads ${formatVersion}); restore it with Dossier ${other.dossier}, which made it`,
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

/**
 * Reads the header of a backup. Throws the reason if that fails; its batches throw if the backup is
 * incomplete or changed.
 */
export async function readBackup(chunks: AsyncIterable<Buffer>) {
  const lines = splitLines(chunks);
  const header = toHeader(parse((await lines.next()).value ?? undefined));
  return { header, batches: readBatches(lines, header) };
}

const toLine = (value: object) => `${JSON.stringify(value)}\n`;

/**
 * The text of a backup (docs/decisions/store.md): a header, lines of up to 500 rows of a table, and an end
 * with the row counts and the SHA-256 of all lines between. The same data always gives the same text, except
 * for the header. Throws if a row is so long that no restore would read its line. `onRows` is called after
 * each batch, with the number of rows read.
 */
export async function* toBackupText(
  dump: Dump,
  made: Pick<BackupHeader, 'dossier' | 'created_at'>,
  onRows: (done: number) => void,
): AsyncGenerator<string, void> {
  yield toLine({ format: formatName, version: formatVersion, ...made, rows: dump.counts });
  const digest = createHash('sha256');
  const written: Record<string, number> = Object.fromEntries(dumpedTables.map((table) => [table, 0]));
  let done = 0;
  for await (const { table, rows } of dump.read()) {
    written[table] = (written[table] ?? 0) + rows.length;
    const columns = Object.keys(rows[0] ?? {});
    const line = toLine({ table, columns, rows: rows.map((row) => Object.values(row)) });
    if (Buffer.byteLength(line) > longestLine_bytes)
      throw new Error(`a row of ${table} is too long for a backup`);
    digest.update(line);
    yield line;
    done += rows.length;
    onRows(done);
  }
  yield toLine({ end: { rows: written, sha256: digest.digest('hex') } });
}
