import type { Listing } from '../../../evidence/listing/listing.ts';
import type { OptOut } from '../../../evidence/listing/state/opt-out.ts';
import type { OptOutReads } from '../../contract/opt-outs.ts';
import type { Db } from '../../engine.ts';
import type { OptOutRow } from '../../schema/listings.ts';

const decode = ({ listing, ...row }: OptOutRow): OptOut => ({
  ...row,
  listing: listing === null ? undefined : (JSON.parse(listing) as Listing),
});

/** Reads of opt-out lines over any engine. */
export const createOptOutReads = (db: Db): OptOutReads => ({
  async optOut(handle) {
    const row = await db.selectFrom('opt_out').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decode(row);
  },
  async optOuts(afterHandle, limit) {
    const page = db.selectFrom('opt_out').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(decode);
  },
});

/** Inserts or replaces the opt-out line of a listing. */
export async function putOptOut(db: Db, { listing, ...optOut }: OptOut): Promise<void> {
  const row = { ...optOut, listing: listing ? JSON.stringify(listing) : null };
  const { handle: _, ...change } = row;
  await db
    .insertInto('opt_out')
    .values(row)
    .onConflict((conflict) => conflict.column('handle').doUpdateSet(change))
    .execute();
}

/** Deletes the opt-out line of a listing. */
export async function removeOptOut(db: Db, handle: string): Promise<void> {
  await db.deleteFrom('opt_out').where('handle', '=', handle).execute();
}
