import { inChunks, precompileQuery } from '../store/query.ts';
import type { RowOf } from '../store/table.ts';
import type { NewChange } from './change.ts';
import { changeTable, type Db } from './schema.ts';

const readLast = precompileQuery((db: Db) =>
  db.selectFrom('evidence_change').select('seq').orderBy('seq', 'desc').limit(1),
);
const insertChanges = precompileQuery((db: Db, rows: readonly RowOf<typeof changeTable>[]) =>
  db.insertInto('evidence_change').values([...rows]),
);

/** The write lock must be held, so that no reader sees a later position first. */
export async function addChanges(db: Db, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const [{ seq: last } = { seq: 0 }] = await readLast(db);
  const rows = changes.map((change, at) => changeTable.encode({ ...change, seq: last + 1 + at }));
  await inChunks(rows, (chunk) => insertChanges(db, chunk));
}
