import { DatabaseSync } from 'node:sqlite';
import { Client, types } from 'pg';

/** The rows of every table of the service, by table, in one order; not those of limits and indexes. */
export type AllRows = Readonly<Record<string, readonly Record<string, unknown>[]>>;
type ReadRows = (query: string) => Promise<Record<string, unknown>[]>;

/**
 * Tables that a backup leaves out: limits, messages between processes, members of views, the search index,
 * those of the migrator.
 */
const isLeftOut = (table: string) =>
  /^(limit_|claim_check$|audit_run$|derivation$|observed_pause$|lease$|changed_handles$|listing_(search|facet)|view_(member|pass)$|search_|kysely_|sqlite_)/.test(
    table,
  );
const tablesOf = {
  sqlite: "select name from sqlite_master where type = 'table' order by name",
  postgres: "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
};

const text = (row: object) => JSON.stringify(Object.entries(row).sort());
const inOrder = (rows: readonly Record<string, unknown>[]) =>
  rows
    .map((row) => ({ row: { ...row }, text: text(row) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ row }) => row);

async function readTables(engine: keyof typeof tablesOf, read: ReadRows): Promise<AllRows> {
  const tables: [string, Record<string, unknown>[]][] = [];
  for (const { name } of await read(tablesOf[engine]))
    if (!isLeftOut(String(name))) tables.push([String(name), inOrder(await read(`select * from ${name}`))]);
  return Object.fromEntries(tables);
}

async function readPostgres(databaseUrl: string): Promise<AllRows> {
  const getTypeParser = (oid: number) => (oid === 20 ? Number : types.getTypeParser(oid));
  const client = new Client({ connectionString: databaseUrl, types: { getTypeParser } });
  await client.connect();
  try {
    return await readTables('postgres', async (query) => (await client.query(query)).rows);
  } finally {
    await client.end();
  }
}

/** Reads a database of either engine without the service. */
export async function readAllRows(databaseUrl: string): Promise<AllRows> {
  if (databaseUrl.startsWith('postgres:')) return readPostgres(databaseUrl);
  const database = new DatabaseSync(databaseUrl.slice('file:'.length), { readOnly: true });
  try {
    return await readTables('sqlite', async (query) => database.prepare(query).all());
  } finally {
    database.close();
  }
}
