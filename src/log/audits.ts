import { upsert } from '../store/query.ts';
import type { Db, LogSchema } from './schema.ts';

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
