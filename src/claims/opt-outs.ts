import { upsert } from '../store/query.ts';
import type { Db } from '../store/store.ts';
import type { RowOf } from '../store/table.ts';
import { type OptOut, optOutTable } from './claim.ts';

declare module '../store/store.ts' {
  interface Schema {
    /** A line `optout <handle>` that a check read; `listing` is the withdrawn one, to restore it from. */
    opt_out: RowOf<typeof optOutTable>;
  }
}

export const createOptOutReads = (db: Db) => ({
  /** The opt-out line that the last checks read for a listing. */
  async of(handle: string): Promise<OptOut | undefined> {
    const row = await db.selectFrom('opt_out').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && optOutTable.decode(row);
  },
  /** Opt-out lines after a handle, in handle order: for the periodic re-check. */
  async page(afterHandle: string, limit: number): Promise<OptOut[]> {
    const page = db.selectFrom('opt_out').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(optOutTable.decode);
  },
});

export const createOptOutWrites = (db: Db) => ({
  ...createOptOutReads(db),
  /** Inserts or replaces the opt-out line of a listing. */
  async put(optOut: OptOut): Promise<void> {
    await upsert(db, 'opt_out', optOutTable.encode(optOut), 'handle').execute();
  },
  async remove(handle: string): Promise<void> {
    await db.deleteFrom('opt_out').where('handle', '=', handle).execute();
  },
});
