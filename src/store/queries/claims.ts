import type { Capability } from '../../evidence/claim/claim.ts';
import { placeMember } from '../../evidence/claim/proof-place.ts';
import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';
import type { ClaimReads, ClaimWrites } from '../contract/claims.ts';
import type { Db } from '../engine.ts';
import { decodeCapability, decodeClaim, encodeClaim } from './claim-rows.ts';
import { precompileQuery } from './precompiled-query.ts';

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

async function readLiving(db: Db, handle: string): Promise<Capability[]> {
  const rows = db
    .selectFrom('capability')
    .selectAll()
    .where('handle', '=', handle)
    .where('state', 'in', ['active', 'suspended']);
  return (await rows.orderBy('activated_at').orderBy('hash').execute()).map(decodeCapability);
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
  claim: async (handle) => {
    const row = await db.selectFrom('claim').selectAll().where('handle', '=', handle).executeTakeFirst();
    return row && decodeClaim(row);
  },
  claimed: async (afterHandle, limit) => {
    const page = db.selectFrom('claim').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(decodeClaim);
  },
  capabilities: (handle) => readLiving(db, handle),
  leakedCount: async (handle) => {
    const counted = await db
      .selectFrom('capability')
      .select(({ fn }) => fn.countAll<number>().as('leaked'))
      .where('handle', '=', handle)
      .where('state', '=', 'leaked')
      .executeTakeFirstOrThrow();
    return Number(counted.leaked);
  },
  capability: async (hash) => {
    const row = await db.selectFrom('capability').selectAll().where('hash', '=', hash).executeTakeFirst();
    return row && decodeCapability(row);
  },
  capabilityById: async (id) => {
    const row = await db.selectFrom('capability').selectAll().where('id', '=', id).executeTakeFirst();
    return row && decodeCapability(row);
  },
  holder: async (hash) => {
    const [row] = await readHolder(db, hash);
    if (!row) return undefined;
    const { claim_state, ...capability } = row;
    return { capability: decodeCapability(capability), isClaimed: claim_state === 'claimed' };
  },
  nextRootGeneration: async (handle, root) => {
    const { used } = await db
      .selectFrom('claim_event')
      .select(({ fn }) => fn.max('root_generation').as('used'))
      .where('handle', '=', handle)
      .where('root', '=', root)
      .executeTakeFirstOrThrow();
    return used === null ? 0 : Number(used) + 1;
  },
  history: (handle) => readClaimHistory(db, handle),
});

/** Writes of claims inside a transaction; `touch` receives each handle that changed. */
export const createClaimWrites = (db: Db, touch: (handle: string) => void): ClaimWrites => ({
  ...createClaimReads(db),
  async putClaim(claim) {
    const { handle, ...change } = encodeClaim(claim);
    touch(handle);
    await db
      .insertInto('claim')
      .values({ handle, ...change })
      .onConflict((conflict) => conflict.column('handle').doUpdateSet(change))
      .execute();
  },
  async addCapability({ ended_at, signed_by, ...capability }) {
    touch(capability.handle);
    await db
      .insertInto('capability')
      .values({ ...capability, ended_at: ended_at ?? null, signed_by: signed_by ?? null })
      .execute();
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
  async setSigner(hash, signed_by) {
    await db.updateTable('capability').set({ signed_by }).where('hash', '=', hash).execute();
  },
  async addEvent(
    handle,
    { repository, domain, root, root_generation, commit, reason, capability_id, ...event },
  ) {
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
      .values({ handle, ...event, ...optional })
      .execute();
  },
});
