import { type Kysely, sql } from 'kysely';
import type { DumpedRow, DumpedTable, Load } from '../contract/backup.ts';
import type { Db, Engine, SearchIndex } from '../engine.ts';
import type { ListingRow } from '../schema.ts';
import { countRows, dumpedTables, keyColumns, keyOf, readTable } from './dump.ts';

/** Runs one transaction and resolves once it is durable. */
type Commit = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** What a load writes and checks at its end. */
interface Ending {
  readonly heads: readonly DumpedRow[];
  readonly counts: Readonly<Record<string, number>>;
}

const isDumped = (table: string): table is DumpedTable => (dumpedTables as string[]).includes(table);

/** A new database has the head of an empty log; only a load removes it, until its end. */
async function readState(db: Db): Promise<'new' | 'interrupted' | 'in use'> {
  const [head, ...more] = await db.selectFrom('log_head').selectAll().execute();
  if (!head) return 'interrupted';
  if (more.length > 0 || head.size > 0) return 'in use';
  for (const table of dumpedTables.filter((name) => name !== 'log_head')) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db);
    if (rows.length > 0) return 'in use';
  }
  return 'new';
}

/** Whether a database is complete: no load into it is running or was interrupted. */
export const isWhole = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('log_head').select('id').limit(1).execute()).length > 0;

/** Removes the head of a new database; returns the state before. */
async function takeHead(db: Db) {
  const state = await readState(db);
  if (state === 'new') await db.deleteFrom('log_head').execute();
  return state;
}

const idsOf = (rows: readonly DumpedRow[]) => rows.map(({ id }) => Number(id));

/** Deletes the first 500 rows of a table; returns false if there are none. */
async function clearBatch(search: SearchIndex, db: Db, table: DumpedTable): Promise<boolean> {
  const { value: rows } = await readTable(db, table).next();
  const last = rows?.at(-1);
  if (!rows || !last) return false;
  if (table === 'listing') await search.replace(db, idsOf(rows), []);
  await sql`delete from ${sql.table(table)} where (${keyColumns(table)}) <= (${keyOf(table, last)})`.execute(
    db,
  );
  return true;
}

/** Deletes what an interrupted load has written, one batch a transaction. */
async function clear(search: SearchIndex, commit: Commit): Promise<void> {
  for (const table of dumpedTables) while (await commit((db) => clearBatch(search, db, table)));
}

const insert = (db: Db, table: DumpedTable, rows: readonly DumpedRow[]) =>
  (db as unknown as Kysely<Record<DumpedTable, DumpedRow>>).insertInto(table).values(rows).execute();

async function putRows(
  search: SearchIndex,
  db: Db,
  batch: { table: DumpedTable; rows: readonly DumpedRow[] },
) {
  await insert(db, batch.table, batch.rows);
  if (batch.table !== 'listing') return;
  const listings = batch.rows as unknown as readonly ListingRow[];
  await search.replace(
    db,
    [],
    listings.filter(({ withdrawn }) => withdrawn === null),
  );
}

/** Transactions of a load; they fail once another load into the same database has ended. */
const whileLoading =
  (commit: Commit): Commit =>
  (work) =>
    commit(async (db) => {
      if (await isWhole(db)) throw new Error('another restore into this database has ended in the meantime');
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
