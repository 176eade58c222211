import { upsert } from '../store/query.ts';
import type { Db, Schema } from '../store/store.ts';

declare module '../store/store.ts' {
  interface Schema {
    /**
     * The last finished audit of the database by one of its own nodes, in one row; `entries` of the log were
     * compared.
     */
    audit_run: { id: number; finished_at: string; entries: number; faults: number };
  }
}

const id = 1;

/** Reads of the node's own audits. */
export const createAuditReads = (db: Db) => ({
  /** Undefined if no audit ever finished. */
  last: () =>
    db
      .selectFrom('audit_run')
      .select(['finished_at', 'entries', 'faults'])
      .where('id', '=', id)
      .executeTakeFirst(),
});

/** Writes of audits inside a transaction; they change no listing. */
export const createAuditWrites = (db: Db) => ({
  ...createAuditReads(db),
  async put(run: Omit<Schema['audit_run'], 'id'>) {
    await upsert(db, 'audit_run', { id, ...run }, 'id').execute();
  },
});
