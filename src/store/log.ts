import { nodeHash } from '../evidence/merkle.ts';
import type { Db } from './engine.ts';
import type { LogReads, LogWrites } from './store.ts';

async function readNode(db: Db, level: number, position: number): Promise<Buffer> {
  const row = await db
    .selectFrom('log_node')
    .select('hash')
    .where('level', '=', level)
    .where('position', '=', position)
    .executeTakeFirstOrThrow();
  return Buffer.from(row.hash, 'hex');
}

/** Reads of the append-only log over any engine. */
export const createLogReads = (db: Db): LogReads => ({
  size: async () => Number((await db.selectFrom('log_head').select('size').executeTakeFirstOrThrow()).size),
  leaf: (index) => db.selectFrom('log_leaf').selectAll().where('log_index', '=', index).executeTakeFirst(),
  node: (level, index) => readNode(db, level, index),
});

/** A new leaf hash and the hashes of the subtrees that it completes. */
async function completedNodes(db: Db, index: number, hash: string) {
  const nodes = [{ level: 0, position: index, hash }];
  let [level, position] = [0, index];
  let node: Buffer = Buffer.from(hash, 'hex');
  while (position % 2 === 1) {
    node = nodeHash(await readNode(db, level, position - 1), node);
    [level, position] = [level + 1, (position - 1) / 2];
    nodes.push({ level, position, hash: node.toString('hex') });
  }
  return nodes;
}

/** Appends inside a transaction: taking the head first makes writers wait for each other. */
export const createLogWrites = (db: Db): LogWrites => ({
  ...createLogReads(db),
  async append({ type, leaf, hash, salt, record }) {
    const { size } = await db
      .updateTable('log_head')
      .set(({ eb }) => ({ size: eb('size', '+', 1) }))
      .where('id', '=', 1)
      .returning('size')
      .executeTakeFirstOrThrow();
    const log_index = Number(size) - 1;
    await db.insertInto('log_leaf').values({ log_index, type, leaf }).execute();
    await db.insertInto('log_record').values({ log_index, salt, record }).execute();
    await db
      .insertInto('log_node')
      .values(await completedNodes(db, log_index, hash))
      .execute();
    return log_index;
  },
});
