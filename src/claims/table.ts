import { sql } from 'kysely';
import type { ReceiptKeyLine } from '../receipt/index.ts';
import { findOne, inChunks, precompileQuery, upsert } from '../store/query.ts';
import {
  type Capability,
  type CapabilityState,
  type Claim,
  type ClaimEvent,
  capabilityTable,
  claimTable,
  type OptOut,
  optOutTable,
  placeMember,
} from './claim.ts';
import { type ReceiptKey, receiptKeyTable, toLoggedKeys } from './receipt-keys.ts';
import { type ClaimSchema, type Db, eventTable } from './schema.ts';

const selectNewest = (is: '=' | '<>', limit: number) =>
  precompileQuery((db: Db, handle: string) =>
    db
      .selectFrom('claim_event')
      .selectAll()
      .where('handle', '=', handle)
      .where('type', is, 'keys_changed')
      .orderBy('log_index', 'desc')
      .limit(limit),
  );
const readEvents = selectNewest('<>', 100);
const readKeyChanges = selectNewest('=', 20);

/** The newest 20 changes of receipt keys and 100 other events, oldest first. */
export async function readClaimHistory(db: Db, handle: string): Promise<ClaimEvent[]> {
  const events = [...(await readEvents(db, handle)), ...(await readKeyChanges(db, handle))].map((row) => {
    const { handle: _handle, capability_id: _id, place, ...event } = eventTable.decode(row);
    return { ...event, ...placeMember(event.kind, place) };
  });
  return events.sort((a, b) => a.log_index - b.log_index);
}

const readHolder = precompileQuery((db: Db, hash: string) =>
  db
    .selectFrom('capability')
    .leftJoin('claim', 'claim.handle', 'capability.handle')
    .selectAll('capability')
    .select('claim.state as claim_state')
    .where('hash', '=', hash),
);

export interface SeenKeys {
  readonly keys: readonly Omit<ReceiptKey, 'valid_from' | 'valid_until'>[];
  readonly at: string;
  /** `keys` are all published keys, so every other stored key ends. */
  readonly isComplete: boolean;
}

const readKeyRows = precompileQuery((db: Db, handle: string) =>
  db.selectFrom('receipt_key').selectAll().where('handle', '=', handle).orderBy('valid_from').orderBy('kid'),
);

export const readReceiptKeys = async (db: Db, handle: string): Promise<ReceiptKey[]> =>
  (await readKeyRows(db, handle)).map((row) => {
    const { handle: _, ...key } = receiptKeyTable.decode(row);
    return key;
  });

const readCapabilityRows = precompileQuery((db: Db, handle: string) =>
  db
    .selectFrom('capability')
    .selectAll()
    .where('handle', '=', handle)
    .where('state', 'in', ['waiting', 'active', 'suspended'])
    .orderBy('activated_at')
    .orderBy('hash'),
);

/** Oldest first, without those that have ended. */
export const readCapabilities = async (db: Db, handle: string): Promise<Capability[]> =>
  (await readCapabilityRows(db, handle)).map((row) => capabilityTable.decode(row));

const isSameKey = (a: ReceiptKeyLine, b: ReceiptKeyLine) =>
  a.kid === b.kid && JSON.stringify(a.jwk) === JSON.stringify(b.jwk);

const mostKeys = 50;

async function writeReceiptKeys(db: Db, handle: string, { keys, at, isComplete }: SeenKeys, mayAdd: boolean) {
  const live = (await readReceiptKeys(db, handle)).filter(({ valid_until }) => valid_until === undefined);
  const added = keys.filter((key) => mayAdd && !live.some((one) => isSameKey(one, key)));
  const isGone = (key: ReceiptKey) =>
    added.some(({ kid }) => kid === key.kid) || (isComplete && !keys.some((one) => isSameKey(one, key)));
  const kids = live.filter(isGone).map(({ kid }) => kid);
  if (kids.length + added.length === 0) return undefined;
  if (kids.length > 0)
    await db
      .updateTable('receipt_key')
      .set({ valid_until: at })
      .where('handle', '=', handle)
      .where('valid_until', 'is', null)
      .where('kid', 'in', kids)
      .execute();
  if (added.length > 0) {
    const rows = added.map((key) => receiptKeyTable.encode({ ...key, handle, valid_from: at }));
    await upsert(db, 'receipt_key', rows, 'handle', 'kid', 'valid_from').execute();
    // Keys that are still published are kept first, then the newest.
    await sql`delete from receipt_key where handle = ${handle} and (kid, valid_from) in (
    select kid, valid_from from receipt_key where handle = ${handle}
    order by valid_until is null desc, valid_from desc, kid limit 1000000 offset ${sql.lit(mostKeys)})`.execute(
      db,
    );
  }
  return toLoggedKeys(added, kids);
}

export const createClaimReads = (db: Db) => ({
  claim: (handle: string): Promise<Claim | undefined> => findOne(db, 'claim', { handle }, claimTable),
  signingKeys: () => db.selectFrom('claim_key').selectAll().orderBy('created_at', 'desc').execute(),
  async claimed(afterHandle: string, limit: number): Promise<Claim[]> {
    const page = db.selectFrom('claim').selectAll().where('handle', '>', afterHandle);
    return (await page.orderBy('handle').limit(limit).execute()).map(claimTable.decode);
  },
  capabilities: (handle: string): Promise<Capability[]> => readCapabilities(db, handle),
  async leakedCount(handle: string): Promise<number> {
    const rows = db.selectFrom('capability').select('hash').where('handle', '=', handle);
    return (await rows.where('state', '=', 'leaked').execute()).length;
  },
  capability: (hash: string): Promise<Capability | undefined> =>
    findOne(db, 'capability', { hash }, capabilityTable),
  capabilityById: (id: string): Promise<Capability | undefined> =>
    findOne(db, 'capability', { id }, capabilityTable),
  async holder(hash: string): Promise<{ capability: Capability; isClaimed: boolean } | undefined> {
    const [row] = await readHolder(db, hash);
    if (!row) return undefined;
    return { capability: capabilityTable.decode(row), isClaimed: row.claim_state === 'claimed' };
  },
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
  /** Oldest first, also those that have ended. */
  receiptKeys: (handle: string): Promise<ReceiptKey[]> => readReceiptKeys(db, handle),
});

const readUnshown = precompileQuery((db: Db, handles: readonly string[]) =>
  db
    .selectFrom('claim')
    .leftJoin('listing', 'listing.handle', 'claim.handle')
    .where('claim.state', '=', 'claimed')
    .where('claim.handle', 'in', [...handles])
    .where(({ or, eb }) =>
      or([eb('listing.handle', 'is', null), eb('listing.withdrawn', 'in', ['deleted', 'optout'])]),
    )
    .select('claim.handle'),
);

/**
 * Throws if a claim is in force although its listing does not exist, or was withdrawn by the registry or the
 * publisher. `Store.write` ends with this check for what it wrote.
 */
export async function requireShown(db: Db, handles: readonly string[]): Promise<void> {
  await inChunks(handles, async (chunk) => {
    const [unshown] = await readUnshown(db, chunk);
    if (unshown) throw new Error(`the claim of ${unshown.handle} is in force, and the listing is not shown`);
  });
}

/** Of other modules, supplied by src/app. */
interface ClaimFollowers {
  /** After a claim of the listing proved a control root. */
  addHolder(handle: string, proved: { readonly root: string; readonly at: string }): Promise<void>;
  /** After the state or the control root of the claim changed. */
  followClaim(handle: string, at: string): Promise<void>;
}

/**
 * Reads and writes for a transaction. `touch` receives the handle of each listing whose shown facts may have
 * changed. `standing` receives the handle of each claim that is stored as in force.
 */
export const createClaimWrites = (
  db: Db,
  {
    touch,
    standing,
    followers: { addHolder, followClaim },
  }: Record<'touch' | 'standing', (handle: string) => void> & { readonly followers: ClaimFollowers },
) => ({
  ...createClaimReads(db),
  addHolder,
  followClaim,
  /**
   * Keys that were not seen end if the reading is complete, and a key also if a new one takes its `kid`.
   * Undefined if no key changed.
   */
  putReceiptKeys(handle: string, seen: SeenKeys, mayAdd = true) {
    touch(handle);
    return writeReceiptKeys(db, handle, seen, mayAdd);
  },
  async putClaim(claim: Claim): Promise<void> {
    touch(claim.handle);
    if (claim.state === 'claimed') standing(claim.handle);
    await upsert(db, 'claim', claimTable.encode(claim), 'handle').execute();
  },
  async addSigningKey(key: ClaimSchema['claim_key']) {
    await db.insertInto('claim_key').values(key).execute();
  },
  async putCapability(capability: Capability): Promise<void> {
    touch(capability.handle);
    await upsert(db, 'capability', capabilityTable.encode(capability), 'hash').execute();
  },
  /**
   * `at` is when the capability ends, ignored for an active one. For 30 days after it, the line of a
   * suspended one can restore it.
   */
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
  async addEvent(handle: string, event: ClaimEvent & { readonly capability_id?: string }): Promise<void> {
    touch(handle);
    const row = eventTable.encode({ ...event, handle, place: event.repository ?? event.domain ?? '' });
    await db.insertInto('claim_event').values(row).execute();
  },
});

const isAfter = ({ handle, kind, place_key }: OptOutKey) =>
  sql<boolean>`(handle, kind, place_key) > (${handle}, ${kind}, ${place_key})`;
type OptOutKey = Pick<OptOut, 'handle' | 'kind' | 'place_key'>;

export const createOptOutReads = (db: Db) => ({
  /** At most one for each method and location. */
  async of(handle: string): Promise<OptOut[]> {
    const rows = db.selectFrom('opt_out').selectAll().where('handle', '=', handle);
    return (await rows.orderBy('kind').orderBy('place_key').execute()).map(optOutTable.decode);
  },
  withdrawing: (handle: string): Promise<OptOut | undefined> =>
    findOne(db, 'opt_out', { handle, state: 'withdrawn' }, optOutTable),
  async page(after: OptOutKey | undefined, limit: number): Promise<OptOut[]> {
    const rows = db.selectFrom('opt_out').selectAll();
    const page = after ? rows.where(isAfter(after)) : rows;
    const ordered = page.orderBy('handle').orderBy('kind').orderBy('place_key').limit(limit);
    return (await ordered.execute()).map(optOutTable.decode);
  },
});

export const createOptOutWrites = (db: Db) => ({
  ...createOptOutReads(db),
  async put(optOut: OptOut): Promise<void> {
    await upsert(db, 'opt_out', optOutTable.encode(optOut), 'handle', 'kind', 'place_key').execute();
  },
  async remove({ handle, kind, place_key }: OptOutKey): Promise<void> {
    const rows = db.deleteFrom('opt_out').where('handle', '=', handle).where('kind', '=', kind);
    await rows.where('place_key', '=', place_key).execute();
  },
});
