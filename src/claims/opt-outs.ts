import type { Listing } from '../listings/listing.ts';
import type { Db, Json, Time } from '../store/store.ts';
import type { ClaimKind, OptOut } from './claim.ts';

interface OptOutReads {
  /** The opt-out line that the last checks read for a listing. */
  of(handle: string): Promise<OptOut | undefined>;
  /** Opt-out lines after a handle, in handle order: for the periodic re-check. */
  page(afterHandle: string, limit: number): Promise<OptOut[]>;
}

/** Writes of opt-out lines inside a transaction. */
interface OptOutWrites extends OptOutReads {
  /** Inserts or replaces the opt-out line of a listing. */
  put(optOut: OptOut): Promise<void>;
  remove(handle: string): Promise<void>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly optOuts: OptOutReads;
  }
  interface Transaction {
    readonly optOuts: OptOutWrites;
  }
}

/** A line `optout <handle>` that a check read (evidence/listing/state/opt-out.ts). */
export interface OptOutRow {
  handle: string;
  state: 'seen' | 'withdrawn' | 'overruled' | 'contested';
  kind: ClaimKind;
  place: string;
  place_key: string;
  seen_at: Time;
  checked_at: Time;
  /** The withdrawn listing, to restore it from. */
  listing: Json | null;
}

declare module '../store/store.ts' {
  interface Schema {
    opt_out: OptOutRow;
  }
}

const decode = ({ listing, ...row }: OptOutRow): OptOut => ({
  ...row,
  listing: listing === null ? undefined : (JSON.parse(listing) as Listing),
});

/** Reads of opt-out lines over any engine. */
export const createOptOutReads = (db: Db): OptOutReads => ({
  async of(handle) {
    const row = await db.selectFrom('opt_out').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decode(row);
  },
  async page(afterHandle, limit) {
    const page = db.selectFrom('opt_out').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(decode);
  },
});

/** Writes of opt-out lines inside a transaction. */
export const createOptOutWrites = (db: Db): OptOutWrites => ({
  ...createOptOutReads(db),
  async put({ listing, ...optOut }) {
    const row = { ...optOut, listing: listing ? JSON.stringify(listing) : null };
    const { handle: _, ...change } = row;
    await db
      .insertInto('opt_out')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(change))
      .execute();
  },
  async remove(handle) {
    await db.deleteFrom('opt_out').where('handle', '=', handle).execute();
  },
});
