import { type RawBuilder, sql } from 'kysely';
import type { Dump, DumpedRow, DumpedTable, RowCounts } from '../contract/backup.ts';
import type { Db, Engine } from '../engine.ts';
import type { Schema } from '../schema/schema.ts';
import { mostLineText_bytes } from './format.ts';

/** Every table of a backup with its key, by which rows are ordered; log_head comes last (see load.ts). */
const keys: { readonly [Table in DumpedTable]: readonly (keyof Schema[Table] & string)[] } = {
  listing: ['id'],
  listing_version: ['handle', 'version'],
  opt_out: ['handle'],
  imported_signal: ['handle', 'source'],
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
  tool_surface: ['handle', 'remote', 'digest'],
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

/** The tables of a backup, in order. */
export const dumpedTables = Object.keys(keys) as DumpedTable[];

const batchRows = 500;

/** The columns of a table's key as one value, for comparing and ordering. */
export const keyColumns = (table: DumpedTable): RawBuilder<unknown> =>
  sql.join(keys[table].map((column) => sql.ref(column)));

/** The key of a row as one value. */
export const keyOf = (table: DumpedTable, row: DumpedRow): RawBuilder<unknown> =>
  sql.join(keys[table].map((column) => row[column]));

/** How many of the first rows of a selection make one batch: those that fit into it, or one. */
async function countBatch(db: Db, rows: RawBuilder<unknown>, columns: readonly string[]): Promise<number> {
  const lengths = columns.map((name) => sql`coalesce(octet_length(cast(${sql.ref(name)} as text)), 0)`);
  const sizes = await sql<{ bytes: number }>`select ${sql.join(lengths, sql` + `)} as bytes ${rows}
    limit ${batchRows}`.execute(db);
  let sum_bytes = 0;
  const fitting = sizes.rows.findIndex(({ bytes }) => {
    sum_bytes += Number(bytes);
    return sum_bytes > mostLineText_bytes;
  });
  return fitting < 0 ? batchRows : Math.max(fitting, 1);
}

/** All rows of a table in the order of its key, in batches; order and batches are the same on every engine. */
export async function* readTable(db: Db, table: DumpedTable): AsyncGenerator<readonly DumpedRow[], void> {
  const [any] = (await sql<DumpedRow>`select * from ${sql.table(table)} limit 1`.execute(db)).rows;
  for (let last: DumpedRow | undefined; any; ) {
    const after = last ? sql`where (${keyColumns(table)}) > (${keyOf(table, last)})` : sql``;
    const next = sql`from ${sql.table(table)} ${after} order by ${keyColumns(table)}`;
    const limit = await countBatch(db, next, Object.keys(any));
    const { rows } = await sql<DumpedRow>`select * ${next} limit ${limit}`.execute(db);
    last = rows.at(-1);
    if (!last) return;
    yield rows;
  }
}

/** Counts the rows of every table of a backup. */
export async function countRows(db: Db): Promise<RowCounts> {
  const counts: [DumpedTable, number][] = [];
  for (const table of dumpedTables) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(
      db,
    );
    counts.push([table, Number(rows[0]?.rows)]);
  }
  return Object.fromEntries(counts) as Record<DumpedTable, number>;
}

/** Passes the state of one moment to `work`, whatever is written meanwhile (docs/decisions/0006). */
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
