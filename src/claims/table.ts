import { precompileQuery } from '../store/query.ts';
import type { Db, Json, Time } from '../store/store.ts';
import {
  type Capability,
  type CapabilityState,
  type Claim,
  type ClaimEvent,
  type ClaimKind,
  placeMember,
  type SeenFacts,
} from './claim.ts';

/** Ties an event of a claim to its log leaf. */
interface ClaimEventProof {
  readonly capability_id?: string;
  readonly log_index: number;
}

interface ClaimReads {
  claim(handle: string): Promise<Claim | undefined>;
  /** Claims after a handle, in handle order: for the periodic re-check. */
  claimed(afterHandle: string, limit: number): Promise<Claim[]>;
  /** A listing's active and suspended capabilities, oldest first; a check leaves at most 64 of them. */
  capabilities(handle: string): Promise<Capability[]>;
  /** How many of a listing's capabilities have leaked. */
  leakedCount(handle: string): Promise<number>;
  /** A capability by its SHA-256, hex. */
  capability(hash: string): Promise<Capability | undefined>;
  /** A capability by its id: the first 16 hex digits of its SHA-256. */
  capabilityById(id: string): Promise<Capability | undefined>;
  /** The same, with whether its listing is claimed now. */
  holder(hash: string): Promise<{ capability: Capability; isClaimed: boolean } | undefined>;
  /** The first generation of a control root that no event of this listing has: 0 for a new root. */
  nextRootGeneration(handle: string, root: string): Promise<number>;
  /** The newest 100 events of a claim, oldest first. */
  history(handle: string): Promise<ClaimEvent[]>;
}

/** Writes of claims inside a transaction. */
interface ClaimWrites extends ClaimReads {
  /** Inserts or replaces the claim of a listing. */
  putClaim(claim: Claim): Promise<void>;
  /** Adds a capability. Throws if its hash is already known: an ended one never comes back this way. */
  addCapability(capability: Capability): Promise<void>;
  /** Changes the state of a capability; it ends at `at` (RFC 3339), unless it becomes active. */
  setCapabilityState(hash: string, state: CapabilityState, at: string): Promise<void>;
  /** Records which published key signed the challenge of a capability. */
  setSigner(hash: string, signed_by: string): Promise<void>;
  addEvent(handle: string, event: Omit<ClaimEvent, 'log_index'> & ClaimEventProof): Promise<void>;
}

declare module '../store/store.ts' {
  interface Reads {
    readonly claims: ClaimReads;
  }
  interface Transaction {
    readonly claims: ClaimWrites;
  }
}

/** The claim of a listing: where it was proven, and when that was last checked. */
export interface ClaimRow {
  handle: string;
  state: 'claimed' | 'suspended';
  suspended_reason: string | null;
  claimed_at: Time;
  kind: ClaimKind;
  place: string;
  place_key: string;
  /** What the last proof of a domain saw (SeenFacts). */
  seen: Json | null;
  root: string;
  root_generation: number;
  first_proved_at: Time;
  commit_id: string | null;
  branch: string | null;
  proven_commit: string | null;
  proven_at: Time | null;
  /** Days, YYYY-MM-DD, with spaces between. */
  failed_days: string | null;
  tried_at: Time | null;
  lost_at: Time | null;
  missed_at: Time | null;
  checked_at: Time;
}

/** Events of claims, ordered by log_index. */
export interface ClaimEventRow {
  handle: string;
  type: ClaimEvent['type'];
  at: Time;
  kind: ClaimKind;
  place: string;
  /** The control root that held the claim; null for an event of a listing that was never claimed. */
  root: string | null;
  root_generation: number | null;
  commit_id: string | null;
  reason: string | null;
  capability_id: string | null;
  log_index: number;
}

/** The latest check of a place where a listing can be claimed, stored for an hour so that all nodes return the same result. */
export interface ClaimCheckRow {
  handle: string;
  /** Kind and key of the place. */
  place: string;
  begun_at: Time;
  /** Who makes it: the node’s name, and an id of the check. */
  owner: string;
  /** Its result (claims/check-claim.ts), once there is one. */
  outcome: Json | null;
}

/** A capability by its hash; the secret itself is never stored. */
export interface CapabilityRow {
  /** SHA-256 of the capability, hex. */
  hash: string;
  /** First 16 hex digits of the hash. */
  id: string;
  handle: string;
  state: 'active' | 'suspended' | 'revoked' | 'leaked';
  issued_at: Time;
  activated_at: Time;
  ended_at: Time | null;
  signed_by: string | null;
}

/** A key for receipts that a listing published with its claim, and the time in which it was seen there. */
export interface ReceiptKeyRow {
  handle: string;
  kid: string;
  jwk: Json;
  valid_from: Time;
  valid_until: Time | null;
  /** Where it was first seen. */
  kind: ClaimKind;
  place: string;
  commit_id: string | null;
}

/** Keys that sign challenges. */
export interface ClaimKeyRow {
  kid: number;
  secret: string;
  created_at: Time;
}

declare module '../store/store.ts' {
  interface Schema {
    claim: ClaimRow;
    claim_event: ClaimEventRow;
    claim_check: ClaimCheckRow;
    capability: CapabilityRow;
    receipt_key: ReceiptKeyRow;
    claim_key: ClaimKeyRow;
  }
}

/** A claim without nulls. */
export const decodeClaim = ({
  suspended_reason,
  commit_id,
  branch,
  proven_commit,
  proven_at,
  failed_days,
  tried_at,
  lost_at,
  missed_at,
  seen,
  ...row
}: ClaimRow): Claim => ({
  ...row,
  ...(seen !== null && { seen: JSON.parse(seen) as SeenFacts }),
  ...(proven_commit !== null && { proven_commit }),
  ...(proven_at !== null && { proven_at }),
  ...(failed_days !== null && { failed_days: failed_days.split(' ') }),
  ...(tried_at !== null && { tried_at }),
  ...(lost_at !== null && { lost_at }),
  ...(missed_at !== null && { missed_at }),
  ...(suspended_reason !== null && { suspended_reason }),
  ...(commit_id !== null && { commit: commit_id }),
  ...(branch !== null && { branch }),
});

/** A claim as a row. */
const encodeClaim = ({
  suspended_reason,
  commit,
  branch,
  proven_commit,
  proven_at,
  failed_days,
  tried_at,
  lost_at,
  missed_at,
  seen,
  ...claim
}: Claim): ClaimRow => ({
  ...claim,
  seen: seen ? JSON.stringify(seen) : null,
  proven_commit: proven_commit ?? null,
  proven_at: proven_at ?? null,
  failed_days: failed_days?.join(' ') ?? null,
  tried_at: tried_at ?? null,
  lost_at: lost_at ?? null,
  missed_at: missed_at ?? null,
  suspended_reason: suspended_reason ?? null,
  commit_id: commit ?? null,
  branch: branch ?? null,
});

/** A capability without nulls. */
const decodeCapability = ({ ended_at, signed_by, ...row }: CapabilityRow): Capability => ({
  ...row,
  ...(ended_at !== null && { ended_at }),
  ...(signed_by !== null && { signed_by }),
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
