import { sql } from 'kysely';
import type { DumpedRow, DumpedTable, Load } from '../contract/backup.ts';
import type { Db, Engine, SearchIndex } from '../engine.ts';
import { replaceInIndex } from '../search/indexing.ts';
import { countRows, dumpedTables, keyColumns, keyOf, readTable } from './dump.ts';
import { isComplete, takeHead } from './state.ts';

/** Runs one transaction and resolves once it is durable. */
type Commit = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** What a load writes and checks at its end. */
interface Ending {
  readonly heads: readonly DumpedRow[];
  readonly counts: Readonly<Record<string, number>>;
}

const isDumped = (table: string): table is DumpedTable => (dumpedTables as string[]).includes(table);

const idsOf = (rows: readonly DumpedRow[]) => rows.map(({ id }) => Number(id));

/** Deletes the first 500 rows of a table; returns false if there are none. */
async function clearBatch(search: SearchIndex, db: Db, table: DumpedTable): Promise<boolean> {
  const { value: rows } = await readTable(db, table).next();
  const last = rows?.at(-1);
  if (!rows || !last) return false;
  if (table === 'listing') await replaceInIndex(db, search, { removedIds: idsOf(rows), listings: [] });
  await sql`delete from ${sql.table(table)} where (${keyColumns(table)}) <= (${keyOf(table, last)})`.execute(
    db,
  );
  return true;
}

/** Deletes what an interrupted load has written, one batch a transaction. */
async function clear(search: SearchIndex, commit: Commit): Promise<void> {
  for (const table of dumpedTables) while (await commit((db) => clearBatch(search, db, table)));
}

/**
 * A row as a restored database begins with it. Webhooks are paused: whoever restores a copy to look at it must not post
 * to their addresses.
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

async function indexListings(search: SearchIndex, db: Db, ids: readonly number[]): Promise<void> {
  const listings = await db
    .selectFrom('listing')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  await replaceInIndex(db, search, { removedIds: [], listings });
}

async function putRows(
  search: SearchIndex,
  db: Db,
  { table, rows }: { readonly table: DumpedTable; readonly rows: readonly DumpedRow[] },
) {
  await insert(db, table, rows);
  if (table === 'listing') await indexListings(search, db, idsOf(rows));
}

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
async function finish(engine: Engine, commit: Commit, { heads, counts }: Ending): Promise<void> {
  if (heads.length === 0) throw new Error('the backup contains no log');
  await whileLoading(commit)((db) => insert(db, 'log_head', heads));
  const found = await engine.snapshot(countRows);
  const wrong = dumpedTables.filter((table) => found[table] !== counts[table]);
  if (wrong.length === 0) return;
  await commit((db) => db.deleteFrom('log_head').execute());
  throw new Error(`wrong number of rows in ${wrong.join(', ')}`);
}

/**
 * Starts to fill a new database, or empties and fills one that an interrupted load has left. It has no log until
 * `finish`, so that no process opens it. Returns undefined, and changes nothing, if the database is in use.
 */
export async function loadStore(engine: Engine, commit: Commit): Promise<Load | undefined> {
  const state = await commit(takeHead);
  if (state === 'in use') return undefined;
  const step = whileLoading(commit);
  if (state === 'interrupted') await clear(engine.search, step);
  const heads: DumpedRow[] = [];
  return {
    async put(table, rows) {
      if (!isDumped(table)) throw new Error(`unknown table ${table}`);
      if (table === 'log_head') heads.push(...rows);
      else if (rows.length > 0) await step((db) => putRows(engine.search, db, { table, rows }));
    },
    finish: (counts) => finish(engine, commit, { heads, counts }),
  };
}
