import type { Db } from '../store/store.ts';
import type { ClaimCheckRow } from './table.ts';

/** The latest check of a place where a listing can be claimed, shared between nodes for an hour. */
export interface SharedCheck {
  readonly handle: string;
  /** Kind and key of the place. */
  readonly place: string;
  /** RFC 3339 UTC. */
  readonly begun_at: string;
  /** Who makes it: the node's name, and an id of the check. */
  readonly owner: string;
  /** The result, once there is one; stored as JSON. */
  readonly outcome: object | undefined;
}

export interface CheckReads {
  /** The latest check of a place of a listing, in progress or done; available for at least an hour. */
  newest(handle: string, place: string): Promise<SharedCheck | undefined>;
}

/** Writes of checks inside a transaction. */
interface CheckWrites extends CheckReads {
  /** Replaces the latest check of the place. */
  put(check: SharedCheck): Promise<void>;
  remove(handle: string, place: string): Promise<void>;
  /** Deletes checks that began before a time (RFC 3339). */
  purge(before: string): Promise<void>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly checks: CheckReads;
  }
  interface Transaction {
    readonly checks: CheckWrites;
  }
}

const decode = ({ outcome, ...row }: ClaimCheckRow): SharedCheck => ({
  ...row,
  outcome: outcome === null ? undefined : (JSON.parse(outcome) as object),
});

/** Reads of the latest check of each place of a listing. */
export const createCheckReads = (db: Db): CheckReads => ({
  async newest(handle, place) {
    const row = await db
      .selectFrom('claim_check')
      .selectAll()
      .where('handle', '=', handle)
      .where('place', '=', place)
      .executeTakeFirst();
    return row && decode(row);
  },
});

/** Writes of checks inside a transaction; they change no listing. */
export const createCheckWrites = (db: Db): CheckWrites => ({
  ...createCheckReads(db),
  async put({ handle, place, outcome, ...check }) {
    const change = { ...check, outcome: outcome ? JSON.stringify(outcome) : null };
    await db
      .insertInto('claim_check')
      .values({ handle, place, ...change })
      .onConflict((conflict) => conflict.columns(['handle', 'place']).doUpdateSet(change))
      .execute();
  },
  async remove(handle, place) {
    await db.deleteFrom('claim_check').where('handle', '=', handle).where('place', '=', place).execute();
  },
  async purge(before) {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});
