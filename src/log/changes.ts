import { inChunks, precompileQuery } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import { integer, json, oneOf, type RowOf, table, text } from '../store/table.ts';
import type { Change, NewChange } from './change.ts';

export const changeTable = table({
  seq: integer,
  type: oneOf<Change['type']>(),
  handle: text,
  at: text,
  data: json<Change['data']>(),
});

declare module '../store/store.ts' {
  interface Schema {
    evidence_change: RowOf<typeof changeTable>;
  }
}

const readLast = precompileQuery((db) =>
  db.selectFrom('evidence_change').select('seq').orderBy('seq', 'desc').limit(1),
);
const insertChanges = precompileQuery((db, rows: readonly RowOf<typeof changeTable>[]) =>
  db.insertInto('evidence_change').values([...rows]),
);

/** Adds changes in this order. The write lock must be held, so that no reader sees a later position first. */
export async function addChanges(db: Db, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const [{ seq: last } = { seq: 0 }] = await readLast(db);
  const rows = changes.map((change, at) => changeTable.encode({ ...change, seq: last + 1 + at }));
  await inChunks(rows, (chunk) => insertChanges(db, chunk));
}
