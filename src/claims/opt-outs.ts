import type { Listing } from '../listings/listing.ts';
import type { Db, Json } from '../store/store.ts';
import type { OptOut } from './claim.ts';

/** A line `optout <handle>` that a check read; `listing` is the withdrawn one, to restore it from. */
export interface OptOutRow extends Omit<OptOut, 'listing'> {
  listing: Json | null;
}

declare module '../store/store.ts' {
  interface Schema {
    opt_out: OptOutRow;
  }
  interface Reads {
    readonly optOuts: ReturnType<typeof createOptOutReads>;
  }
  interface Transaction {
    readonly optOuts: ReturnType<typeof createOptOutWrites>;
  }
}

const decode = ({ listing, ...row }: OptOutRow): OptOut => ({
  ...row,
  listing: listing === null ? undefined : (JSON.parse(listing) as Listing),
});

export const createOptOutReads = (db: Db) => ({
  /** The opt-out line that the last checks read for a listing. */
  async of(handle: string): Promise<OptOut | undefined> {
    const row = await db.selectFrom('opt_out').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decode(row);
  },
  /** Opt-out lines after a handle, in handle order: for the periodic re-check. */
  async page(afterHandle: string, limit: number): Promise<OptOut[]> {
    const page = db.selectFrom('opt_out').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(decode);
  },
});

export const createOptOutWrites = (db: Db) => ({
  ...createOptOutReads(db),
  /** Inserts or replaces the opt-out line of a listing. */
  async put({ listing, ...optOut }: OptOut): Promise<void> {
    const row = { ...optOut, listing: listing ? JSON.stringify(listing) : null };
    await db
      .insertInto('opt_out')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(row))
      .execute();
  },
  async remove(handle: string): Promise<void> {
    await db.deleteFrom('opt_out').where('handle', '=', handle).execute();
  },
});
