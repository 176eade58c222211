import { inChunks, precompileQuery, upsert } from '../store/query.ts';
import type { RowOf, TableValue } from '../store/table.ts';
import { type NewChange, toLoggedChange } from './change.ts';
import type { CommittedRecord, Leaf } from './leaf.ts';
import { completedNodes, type ReadNode, siblingsOf } from './merkle.ts';
import { changeTable, type Db, headTable, type LogSchema } from './schema.ts';

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

/**
 * The lock on the newest row puts writers in order. Numbers may be missing, because that of a log that was
 * published before is not used again.
 */
export type LogHead = TableValue<typeof headTable>;

async function readNodes(
  db: Db,
  { log, level }: Pick<LogSchema['log_node'], 'log' | 'level'>,
  from: number,
  limit: number,
): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('log_node')
    .select('hash')
    .where('log', '=', log)
    .where('level', '=', level)
    .where('position', '>=', from)
    .where('position', '<', from + limit)
    .orderBy('position')
    .execute();
  return rows.map(({ hash }) => Buffer.from(hash, 'hex'));
}

async function readHeads(db: Db): Promise<[LogHead, ...LogHead[]]> {
  const [first, ...rest] = await db.selectFrom('log_head').selectAll().orderBy('id').execute();
  if (!first) throw new Error('no log');
  return [headTable.decode(first), ...rest.map(headTable.decode)];
}

const endOf = (heads: readonly LogHead[]): number => {
  const last = heads.at(-1);
  return last ? last.base + last.size : 0;
};

export const createLogReads = (db: Db) => ({
  heads: () => readHeads(db),
  /** The next log_index, counted over all logs. */
  size: async () => endOf(await readHeads(db)),
  /** Of the key that signs checkpoints, base64. */
  seed: async () => (await db.selectFrom('log_key').select('seed').executeTakeFirst())?.seed,
  leaf: (index: number) =>
    db
      .selectFrom('log_leaf')
      .select(['type', 'leaf', 'erased_by'])
      .where('log_index', '=', index)
      .executeTakeFirst(),
  leaves: async (from: number, limit: number) => {
    const rows = await db
      .selectFrom('log_leaf')
      .select('leaf')
      .where('log_index', '>=', from)
      .where('log_index', '<', from + limit)
      .orderBy('log_index')
      .execute();
    return rows.map(({ leaf }) => leaf);
  },
  record: (index: number) =>
    db.selectFrom('log_record').select(['salt', 'record']).where('log_index', '=', index).executeTakeFirst(),
  async records(indexes: readonly number[]) {
    const records = new Map<number, CommittedRecord>();
    const all = db.selectFrom('log_record').selectAll();
    await inChunks(indexes, async (chunk) => {
      const rows = all.where('log_index', 'in', [...chunk]);
      for (const { log_index, ...row } of await rows.execute()) records.set(log_index, row);
    });
    return records;
  },
  tree:
    (log: number): ReadNode =>
    async (level, position) => {
      const [node] = await readNodes(db, { log, level }, position, 1);
      if (!node) throw new Error('the log has a gap');
      return node;
    },
  nodes: (log: number, level: number, from: number, limit: number) =>
    readNodes(db, { log, level }, from, limit),
});

/** With `log` outside of the alternatives, SQLite would scan the whole log. */
const readPlaced = precompileQuery((db: Db, places: readonly Omit<LogSchema['log_node'], 'hash'>[]) =>
  db
    .selectFrom('log_node')
    .select('hash')
    .where(({ and, or }) => or(places.map(and)))
    .orderBy('level'),
);

async function readCompleted(db: Db, log: number, leaf: { position: number; hash: string }) {
  const siblings = siblingsOf(leaf.position).map((one) => ({ log, ...one }));
  const rows = siblings.length === 0 ? [] : await readPlaced(db, siblings);
  if (rows.length < siblings.length) throw new Error('the log has a gap');
  const nodes = completedNodes(
    { level: 0, position: leaf.position, hash: Buffer.from(leaf.hash, 'hex') },
    rows.map(({ hash }) => Buffer.from(hash, 'hex')),
  );
  return nodes.map(({ level, position, hash }) => ({ log, level, position, hash: hash.toString('hex') }));
}

const takePosition = precompileQuery((db: Db) =>
  db
    .updateTable('log_head')
    .set(({ eb }) => ({ size: eb('size', '+', 1) }))
    .where(
      'id',
      '=',
      db.selectFrom('log_head').select(({ fn }) => fn.max('id').as('id')),
    )
    .returning(['id', 'base', 'size']),
);
const insertLeaf = precompileQuery((db: Db, row: LogSchema['log_leaf']) =>
  db.insertInto('log_leaf').values(row),
);
const insertRecord = precompileQuery((db: Db, row: CommittedRecord & { log_index: number }) =>
  db.insertInto('log_record').values(row),
);
const insertNodes = precompileQuery((db: Db, rows: readonly LogSchema['log_node'][]) =>
  db.insertInto('log_node').values([...rows]),
);

/** An append updates the head first, so that only one writer appends at a time. */
export const createLogWrites = (db: Db) => ({
  ...createLogReads(db),
  /** `about` describes the change for the stream of changes. */
  async append({ type, leaf, hash, salt, record }: Leaf, about?: Parameters<typeof toLoggedChange>[2]) {
    const [head] = await takePosition(db);
    if (!head) throw new Error('no log');
    const position = head.size - 1;
    const log_index = head.base + position;
    await insertLeaf(db, { log_index, type, leaf, erased_by: null });
    await insertRecord(db, { log_index, salt, record });
    await insertNodes(db, await readCompleted(db, head.id, { position, hash }));
    const change = about && toLoggedChange(type, log_index, about);
    if (change) await addChanges(db, [change]);
    return log_index;
  },
  async addSeed(seed: string, created_at: string) {
    await db.insertInto('log_key').values({ id: 1, seed, created_at }).execute();
  },
  async erase(index: number, erased_by: number) {
    await db.deleteFrom('log_record').where('log_index', '=', index).execute();
    await db.updateTable('log_leaf').set({ erased_by }).where('log_index', '=', index).execute();
  },
  /** Also adds an empty log, which the database does not know. */
  async close({ id, closed_with, opened_at }: Pick<LogHead, 'id' | 'closed_with' | 'opened_at'>) {
    const heads = await readHeads(db);
    const later = heads.find((head) => head.id > id)?.base;
    const base = later ?? endOf(heads);
    const row = headTable.encode({ id, base, size: 0, opened_at, closed_with });
    const closed = db.insertInto('log_head').values(row);
    await closed.onConflict((on) => on.column('id').doUpdateSet({ closed_with })).execute();
  },
  /** The newest log must be closed. */
  async openNext({ id, opened_at }: Pick<LogHead, 'id' | 'opened_at'>) {
    const heads = await readHeads(db);
    if (heads.some((head) => head.id >= id))
      throw new Error('no log can be opened under a number that was used');
    const row = headTable.encode({ id, base: endOf(heads), size: 0, opened_at });
    await db.insertInto('log_head').values(row).execute();
  },
});

const id = 1;

export const createAuditReads = (db: Db) => ({
  last: () =>
    db
      .selectFrom('audit_run')
      .select(['finished_at', 'entries', 'faults'])
      .where('id', '=', id)
      .executeTakeFirst(),
});

/** The writes change no listing. */
export const createAuditWrites = (db: Db) => ({
  ...createAuditReads(db),
  async put(run: Omit<LogSchema['audit_run'], 'id'>) {
    await upsert(db, 'audit_run', { id, ...run }, 'id').execute();
  },
});
