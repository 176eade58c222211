import type { Db } from './engine.ts';
import type { LogReads, LogWrites } from './store.ts';

/** Reads of the append-only log over any engine. */
export const createLogReads = (db: Db): LogReads => ({
  size: async () => Number((await db.selectFrom('log_head').select('size').executeTakeFirstOrThrow()).size),
  leaf: (index) => db.selectFrom('log_leaf').selectAll().where('log_index', '=', index).executeTakeFirst(),
});

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
    await db.insertInto('log_leaf').values({ log_index, type, leaf, hash }).execute();
    await db.insertInto('log_record').values({ log_index, salt, record }).execute();
    return log_index;
  },
});
