import { upsert } from '../store/query.ts';
import type { Db, Schema } from '../store/store.ts';

declare module '../store/store.ts' {
  interface Schema {
    /**
     * The last finished audit of the database by one of its own nodes, in one row. `entries` is how many
     * entries of the log were compared.
     */
    audit_run: { id: number; finished_at: string; entries: number; faults: number };
  }
}

const id = 1;

export const createAuditReads = (db: Db) => ({
  /** The last finished audit; undefined if there is none. */
  last: () =>
    db
      .selectFrom('audit_run')
      .select(['finished_at', 'entries', 'faults'])
      .where('id', '=', id)
      .executeTakeFirst(),
});

/** Reads and writes for a transaction. The writes change no listing. */
export const createAuditWrites = (db: Db) => ({
  ...createAuditReads(db),
  async put(run: Omit<Schema['audit_run'], 'id'>) {
    await upsert(db, 'audit_run', { id, ...run }, 'id').execute();
  },
});
