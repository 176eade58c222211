import type { Change } from '../../evidence/change.ts';
import type { ChangeReads, ChangeWrites } from '../contract/changes.ts';
import type { Db } from '../engine.ts';
import type { ChangeRow } from '../schema/changes.ts';
import { inChunks } from './in-chunks.ts';

const decode = ({ data, ...row }: ChangeRow): Change => ({
  ...row,
  data: JSON.parse(data) as Change['data'],
});

async function readLastSeq(db: Db): Promise<number> {
  const last = await db
    .selectFrom('evidence_change')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.seq ?? 0;
}

/** Reads of the stream of changes over any engine. */
export const createChangeReads = (db: Db): ChangeReads => ({
  async after(seq, limit) {
    const rows = db.selectFrom('evidence_change').selectAll().where('seq', '>', seq);
    return (await rows.orderBy('seq').limit(limit).execute()).map(decode);
  },
  async newest(limit, { handle, namespace } = {}) {
    const rows = await db
      .selectFrom('evidence_change')
      .selectAll()
      .$if(handle !== undefined, (query) => query.where('handle', '=', handle ?? ''))
      .$if(namespace !== undefined, (query) =>
        // '0' is the character after '/'.
        query.where('handle', '>', `${namespace}/`).where('handle', '<', `${namespace}0`),
      )
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return rows.map(decode);
  },
});

/** Writes of changes inside a transaction. */
export const createChangeWrites = (db: Db): ChangeWrites => ({
  ...createChangeReads(db),
  async add(changes) {
    if (changes.length === 0) return;
    const last = await readLastSeq(db);
    const rows = changes.map(({ data, ...change }, at) => ({
      ...change,
      seq: last + 1 + at,
      data: JSON.stringify(data),
    }));
    await inChunks(rows, async (chunk) => {
      await db
        .insertInto('evidence_change')
        .values([...chunk])
        .execute();
    });
  },
});
