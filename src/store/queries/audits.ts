import type { AuditReads, AuditWrites } from '../contract/audits.ts';
import type { Db } from '../engine.ts';

/** The table has one row. */
const id = 1;

/** Reads of the node's own audits. */
export const createAuditReads = (db: Db): AuditReads => ({
  async last() {
    const row = await db.selectFrom('audit_run').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const { id: _, ...run } = row;
    return run;
  },
});

/** Writes of audits inside a transaction; they change no listing. */
export const createAuditWrites = (db: Db): AuditWrites => ({
  ...createAuditReads(db),
  async put(change) {
    await db
      .insertInto('audit_run')
      .values({ id, ...change })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
      .execute();
  },
});
