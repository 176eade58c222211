import type { StoredClaimKey } from '../store/limits.ts';
import { precompileQuery, type RowOf, withNulls, withoutNulls } from '../store/query.ts';
import type { Db, Json } from '../store/store.ts';
import {
  type Capability,
  type CapabilityState,
  type Claim,
  type ClaimEvent,
  placeMember,
  type SeenFacts,
} from './claim.ts';
import type { ReceiptKey } from './receipt-keys.ts';

/** Where a claim was proven, and when that was last checked; `failed_days` with spaces between. */
export type ClaimRow = RowOf<Omit<Claim, 'commit' | 'seen' | 'failed_days'>> & {
  commit_id: string | null;
  seen: Json | null;
  failed_days: string | null;
};

/** Events of claims, ordered by log_index; `root` is null for an event of a listing that was never claimed. */
export type ClaimEventRow = RowOf<Omit<ClaimEvent, 'repository' | 'domain' | 'commit'>> & {
  handle: string;
  place: string;
  commit_id: string | null;
  capability_id: string | null;
};

/** A capability by its hash; the secret itself is never stored. */
export type CapabilityRow = RowOf<Capability>;

/** A key for receipts that a listing published with its claim, and the time in which it was seen there. */
export type ReceiptKeyRow = RowOf<Omit<ReceiptKey, 'jwk' | 'commit'>> & {
  handle: string;
  jwk: Json;
  commit_id: string | null;
};

declare module '../store/store.ts' {
  interface Schema {
    claim: ClaimRow;
    claim_event: ClaimEventRow;
    capability: CapabilityRow;
    receipt_key: ReceiptKeyRow;
    /** Keys that sign challenges. */
    claim_key: StoredClaimKey;
  }
  interface Reads {
    readonly claims: ReturnType<typeof createClaimReads>;
  }
  interface Transaction {
    readonly claims: ReturnType<typeof createClaimWrites>;
  }
}

export const decodeClaim = ({ commit_id, seen, failed_days, ...row }: ClaimRow): Claim => ({
  ...withoutNulls(row),
  ...(commit_id !== null && { commit: commit_id }),
  ...(seen !== null && { seen: JSON.parse(seen) as SeenFacts }),
  ...(failed_days !== null && { failed_days: failed_days.split(' ') }),
});

const encodeClaim = ({ commit, seen, failed_days, ...claim }: Claim): ClaimRow => ({
  ...withNulls(claim, {
    ...{ suspended_reason: null, branch: null, proven_commit: null, proven_at: null },
    ...{ tried_at: null, lost_at: null, missed_at: null },
  }),
  commit_id: commit ?? null,
  seen: seen ? JSON.stringify(seen) : null,
  failed_days: failed_days?.join(' ') ?? null,
});

const readEvents = precompileQuery((db, handle: string) =>
  db
    .selectFrom('claim_event')
    .selectAll()
    .where('handle', '=', handle)
    .orderBy('log_index', 'desc')
    .limit(100),
);

/** The newest 100 events of a claim, oldest first. */
export async function readClaimHistory(db: Db, handle: string): Promise<ClaimEvent[]> {
  const rows = await readEvents(db, handle);
  return rows
    .reverse()
    .map(({ type, at, kind, place, root, root_generation, commit_id, reason, log_index }) => ({
      type,
      at,
      kind,
      ...placeMember(kind, place),
      ...(root !== null && { root }),
      ...(root_generation !== null && { root_generation }),
      ...(commit_id && { commit: commit_id }),
      ...(reason && { reason }),
      log_index,
    }));
}

const readHolder = precompileQuery((db, hash: string) =>
  db
    .selectFrom('capability')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .selectAll('capability')
    .select('claim.state as claim_state')
    .where('hash', '=', hash),
);

/** Claims and capabilities. */
export const createClaimReads = (db: Db) => ({
  async claim(handle: string): Promise<Claim | undefined> {
    const row = await db.selectFrom('claim').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decodeClaim(row);
  },
  /** Claims after a handle, in handle order: for the periodic re-check. */
  async claimed(afterHandle: string, limit: number): Promise<Claim[]> {
    const page = db.selectFrom('claim').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(decodeClaim);
  },
  /** A listing's active and suspended capabilities, oldest first; a check leaves at most 64 of them. */
  async capabilities(handle: string): Promise<Capability[]> {
    const rows = db.selectFrom('capability').selectAll().where('handle', '=', handle);
    const living = rows.where('state', 'in', ['active', 'suspended']);
    return (await living.orderBy('activated_at').orderBy('hash').execute()).map(withoutNulls);
  },
  /** How many of a listing's capabilities have leaked. */
  async leakedCount(handle: string): Promise<number> {
    const counted = await db
      .selectFrom('capability')
      .select(({ fn }) => fn.countAll<number>().as('leaked'))
      .where('handle', '=', handle)
      .where('state', '=', 'leaked')
      .executeTakeFirstOrThrow();
    return Number(counted.leaked);
  },
  /** A capability by its SHA-256, hex. */
  async capability(hash: string): Promise<Capability | undefined> {
    const row = await db.selectFrom('capability').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row && withoutNulls(row);
  },
  /** A capability by its id: the first 16 hex digits of its SHA-256. */
  async capabilityById(id: string): Promise<Capability | undefined> {
    const row = await db.selectFrom('capability').selectAll().where('id', '=', id).executeTakeFirst();
    return row && withoutNulls(row);
  },
  /** A capability by its SHA-256, with whether its listing is claimed now. */
  async holder(hash: string): Promise<{ capability: Capability; isClaimed: boolean } | undefined> {
    const [row] = await readHolder(db, hash);
    if (!row) return undefined;
    const { claim_state, ...capability } = row;
    return { capability: withoutNulls(capability), isClaimed: claim_state === 'claimed' };
  },
  /** The first generation of a control root that no event of this listing has: 0 for a new root. */
  async nextRootGeneration(handle: string, root: string): Promise<number> {
    const { used } = await db
      .selectFrom('claim_event')
      .select(({ fn }) => fn.max('root_generation').as('used'))
      .where('handle', '=', handle)
      .where('root', '=', root)
      .executeTakeFirstOrThrow();
    return used === null ? 0 : Number(used) + 1;
  },
  history: (handle: string): Promise<ClaimEvent[]> => readClaimHistory(db, handle),
});

/** The same inside a transaction, with writes; `touch` receives each handle that changed. */
export const createClaimWrites = (db: Db, touch: (handle: string) => void) => ({
  ...createClaimReads(db),
  /** Inserts or replaces the claim of a listing. */
  async putClaim(claim: Claim): Promise<void> {
    const { handle, ...change } = encodeClaim(claim);
    touch(handle);
    await db
      .insertInto('claim')
      .values({ handle, ...change })
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(change))
      .execute();
  },
  /** Adds a capability. Throws if its hash is already known: an ended one never comes back this way. */
  async addCapability(capability: Capability): Promise<void> {
    touch(capability.handle);
    await db
      .insertInto('capability')
      .values(withNulls(capability, { ended_at: null, signed_by: null }))
      .execute();
  },
  /** Changes the state of a capability; it ends at `at` (RFC 3339), unless it becomes active. */
  async setCapabilityState(hash: string, state: CapabilityState, at: string): Promise<void> {
    const ended_at = state === 'active' ? null : at;
    const row = await db
      .updateTable('capability')
      .set({ state, ended_at })
      .where('hash', '=', hash)
      .returning('handle')
      .executeTakeFirst();
    if (row) touch(row.handle);
  },
  /** Records which published key signed the challenge of a capability. */
  async setSigner(hash: string, signed_by: string): Promise<void> {
    await db.updateTable('capability').set({ signed_by }).where('hash', '=', hash).execute();
  },
  async addEvent(handle: string, event: ClaimEvent & { readonly capability_id?: string }): Promise<void> {
    const { repository, domain, root, root_generation, commit, reason, capability_id, ...columns } = event;
    touch(handle);
    const optional = {
      place: repository ?? domain ?? '',
      root: root ?? null,
      root_generation: root_generation ?? null,
      commit_id: commit ?? null,
      reason: reason ?? null,
      capability_id: capability_id ?? null,
    };
    await db
      .insertInto('claim_event')
      .values({ handle, ...columns, ...optional })
      .execute();
  },
});
