import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';
import type { Db } from '../engine.ts';
import type { CapabilityRow, ClaimReads, ClaimRow, ClaimWrites } from '../store.ts';
import { precompileQuery } from './precompiled-query.ts';

/** The public history of a claim, oldest first. */
export async function readClaimHistory(db: Db, handle: string): Promise<ClaimEvent[]> {
  const rows = await db
    .selectFrom('claim_event')
    .selectAll()
    .where('handle', '=', handle)
    .orderBy('log_index')
    .limit(100)
    .execute();
  return rows.map(({ type, at, repository, commit_id, reason, log_index }) => ({
    type,
    at,
    repository,
    ...(commit_id && { commit: commit_id }),
    ...(reason && { reason }),
    log_index,
  }));
}

/** A listing never has more; whatever ended for good is found by its hash. */
const livingLimit = 64;

async function readLiving(db: Db, handle: string): Promise<CapabilityRow[]> {
  const newest = await db
    .selectFrom('capability')
    .selectAll()
    .where('handle', '=', handle)
    .where('state', 'in', ['active', 'suspended'])
    .orderBy('activated_at', 'desc')
    .orderBy('hash', 'desc')
    .limit(livingLimit)
    .execute();
  return newest.reverse();
}

const readHolder = precompileQuery((db, hash: string) =>
  db
    .selectFrom('capability')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .selectAll('capability')
    .select('claim.state as claim_state')
    .where('hash', '=', hash),
);

/** Reads of claims and capabilities over any engine. */
export const createClaimReads = (db: Db): ClaimReads => ({
  claim: (handle) => db.selectFrom('claim').selectAll().where('handle', '=', handle).executeTakeFirst(),
  claimed: (afterHandle, limit) =>
    db
      .selectFrom('claim')
      .selectAll()
      .where('handle', '>', afterHandle)
      .orderBy('handle')
      .limit(limit)
      .execute(),
  capabilities: (handle) => readLiving(db, handle),
  leakedCount: async (handle) => {
    const counted = await db
      .selectFrom('capability')
      .select(({ fn }) => fn.countAll<number>().as('leaked'))
      .where('handle', '=', handle)
      .where('state', '=', 'burnt')
      .executeTakeFirstOrThrow();
    return Number(counted.leaked);
  },
  capability: (hash) => db.selectFrom('capability').selectAll().where('hash', '=', hash).executeTakeFirst(),
  holder: async (hash) => {
    const [row] = await readHolder(db, hash);
    if (!row) return undefined;
    const { claim_state, ...capability } = row;
    return { capability, isClaimed: claim_state === 'claimed' };
  },
  history: (handle) => readClaimHistory(db, handle),
});

const claimChange = ({ handle: _key, ...change }: ClaimRow) => change;

/** Writes of claims inside a transaction; `touch` learns the handle. */
export const createClaimWrites = (db: Db, touch: (handle: string) => void): ClaimWrites => ({
  ...createClaimReads(db),
  async putClaim(row) {
    touch(row.handle);
    await db
      .insertInto('claim')
      .values(row)
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(claimChange(row)))
      .execute();
  },
  async addCapability(row) {
    touch(row.handle);
    await db.insertInto('capability').values(row).execute();
  },
  async setCapabilityState(hash, state, at) {
    const ended_at = state === 'active' ? null : at;
    const row = await db
      .updateTable('capability')
      .set({ state, ended_at })
      .where('hash', '=', hash)
      .returning('handle')
      .executeTakeFirst();
    if (row) touch(row.handle);
  },
  async addEvent(handle, { commit, reason, capability_id, ...event }) {
    touch(handle);
    const optional = {
      commit_id: commit ?? null,
      reason: reason ?? null,
      capability_id: capability_id ?? null,
    };
    await db
      .insertInto('claim_event')
      .values({ handle, ...event, ...optional })
      .execute();
  },
});
