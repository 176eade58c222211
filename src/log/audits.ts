import type { Db } from '../store/store.ts';

/** The last finished audit of this database by one of its own nodes. Times are RFC 3339 UTC. */
export interface AuditRun {
  readonly finished_at: string;
  /** Log entries that it compared. */
  readonly entries: number;
  readonly faults: number;
}

declare module '../store/store.ts' {
  interface Schema {
    /** The result of the last finished audit of the database by its own nodes, in one row. */
    audit_run: AuditRun & { id: number };
  }
}

/** The table has one row. */
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
  async put(change: AuditRun) {
    await db
      .insertInto('audit_run')
      .values({ id, ...change })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(change))
      .execute();
  },
});
