import { isDeepStrictEqual } from 'node:util';
import { day_ms, dayText } from '../core/text.ts';
import { toLeaf } from '../log/leaf.ts';
import {
  afterSuspension,
  type Capability,
  type Claim,
  type ClaimEvent,
  claimEvents,
  placeMember,
} from './claim.ts';
import type { LoggedKeys } from './receipt-keys.ts';
import type { ClaimTransaction } from './schema.ts';
import { isSecondReading, type MissingProof, toNoted } from './standing.ts';
import type { SeenKeys } from './table.ts';

/** In the history and in the log; returns the log index. */
export async function recordClaimEvent(
  tx: ClaimTransaction,
  subject: Pick<Claim, 'handle' | 'kind' | 'place'> & Partial<Pick<Claim, 'root' | 'root_generation'>>,
  event: Pick<ClaimEvent, 'type' | 'at' | 'commit' | 'reason'> & {
    readonly capability_id?: string;
    readonly keys?: LoggedKeys;
  },
): Promise<number> {
  const { handle, kind, place, root, root_generation } = subject;
  const ofRoot = root === undefined ? {} : { root, root_generation };
  const record = { ...event, kind, ...placeMember(kind, place), ...ofRoot };
  const log_index = await tx.log.append(toLeaf(claimEvents[event.type].leaf, { handle, ...record }), {
    handle,
    at: event.at,
    ...(event.type === 'suspended' && { data: { reason: event.reason } }),
  });
  const keys = event.keys && { published: event.keys.published.length, ended: event.keys.ended.length };
  await tx.claims.addEvent(handle, { ...record, keys, log_index });
  return log_index;
}

/** In 24 hours. Further new keys have to wait, but keys can end at any time. */
const mostKeyChanges = 4;

export async function recordReceiptKeys(tx: ClaimTransaction, claim: Claim, seen: SeenKeys, commit?: string) {
  const since = new Date(Date.parse(seen.at) - day_ms).toISOString();
  const events = await tx.claims.history(claim.handle);
  const recent = events.filter(({ type, at }) => type === 'keys_changed' && at > since);
  const mayAdd = recent.length < mostKeyChanges;
  const keys = await tx.claims.putReceiptKeys(claim.handle, seen, mayAdd);
  if (keys)
    await recordClaimEvent(tx, claim, { type: 'keys_changed', at: seen.at, ...(commit && { commit }), keys });
}

/** The groups of ratings follow the control root and the state of a claim. */
export async function recordRoot(
  tx: ClaimTransaction,
  { handle, root, root_generation }: Claim,
  before: Claim | undefined,
  at: string,
) {
  const isSame = before?.root === root && before.root_generation === root_generation;
  if (isSame && before.state === 'claimed') return;
  await tx.claims.addHolder(handle, { root, at });
  await tx.claims.followClaim(handle, at);
}

/**
 * A claim is suspended if its location could not be checked for this long, and checks failed on this many
 * days.
 */
const unreachableLimit_ms = 30 * day_ms;
const unreachableDays = 10;

/** `reason`: a member of `eventReasons`. `commit` is where a check found no line that counts. */
export const suspendClaim = async <Known extends Claim | undefined>(
  tx: ClaimTransaction,
  claim: Known,
  ended: Parameters<typeof suspend>[2],
): Promise<Known | Claim> => (claim?.state === 'claimed' ? suspend(tx, claim, ended) : claim);

/** A claim that is suspended already gets another reason. */
async function suspend(
  tx: ClaimTransaction,
  claim: Claim,
  { reason, at, commit }: { reason: string; at: string; commit?: string | undefined },
): Promise<Claim> {
  const { handle } = claim;
  for (const { hash, state } of await tx.claims.capabilities(handle)) {
    if (state === 'active') await tx.claims.setCapabilityState(hash, 'suspended', at);
  }
  const suspended = afterSuspension(claim, reason);
  await tx.claims.putClaim(suspended);
  await recordClaimEvent(tx, claim, { type: 'suspended', at, reason, ...(commit && { commit }) });
  await tx.claims.followClaim(handle, at);
  await recordReceiptKeys(tx, claim, { keys: [], at, isComplete: true }, commit);
  await tx.listings.reindex(handle);
  return suspended;
}

/**
 * Notes a failed check, and suspends the claim if `checked_at` is more than 30 days ago and checks failed on
 * ten days since. A clock that jumps ahead can skip the 30 days, but not the ten days with failed checks.
 * Failed requested checks postpone the re-check at most once a day, so that frequent requests cannot keep a
 * claim in force.
 */
export async function recordUnread(tx: ClaimTransaction, claim: Claim, now: Date, { isAsked = false } = {}) {
  const at = now.toISOString();
  const { checked_at, failed_days: known = [] } = claim;
  const failed_days = [...new Set([...known, dayText(at)])].slice(0, unreachableDays);
  const isSameDay = dayText(claim.tried_at ?? '') === dayText(at);
  const tried_at = isAsked && isSameDay ? claim.tried_at : at;
  const failed: Claim = { ...claim, failed_days, tried_at };
  await tx.claims.putClaim(failed);
  const isLong = now.getTime() - Date.parse(checked_at) > unreachableLimit_ms;
  if (isLong && failed_days.length === unreachableDays)
    await suspendClaim(tx, failed, { reason: 'host_unreachable_30d', at });
}

/** A requested check only notes it: whether the host is at fault, only a pass of re-checks finds out. */
export async function noteMissing(tx: ClaimTransaction, { claim, missing, now }: MissingProof) {
  const at = now.toISOString();
  const noted = toNoted(claim.missing, missing, now);
  if (isDeepStrictEqual(noted, claim.missing)) return;
  // Frequent requests must not postpone the re-check and so keep a claim in force.
  await tx.claims.putClaim({ ...claim, missing: noted, tried_at: claim.missing ? claim.tried_at : at });
}

/**
 * The first reading that finds no line or no location is noted. A second one, a day or more later, suspends
 * the claim. If both found no location, every capability of the claim ends, because somebody else may have
 * made the location anew from a copy. Only a pass of re-checks calls this.
 */
export async function recordMissing(
  tx: ClaimTransaction,
  { claim, result, missing, now, commit }: MissingProof,
): Promise<void> {
  const at = now.toISOString();
  const { handle, missing: first } = claim;
  const isEnded = isSecondReading(first?.line, now);
  const isPlaceLost = missing === 'place' && isSecondReading(first?.place, now);
  const isSettled = isEnded && (missing === 'line' || isPlaceLost);
  const after = { ...claim, missing: isSettled ? undefined : toNoted(first, missing, now) };
  if (missing === 'line')
    await tx.claims.putClaim({
      ...after,
      checked_at: at,
      failed_days: undefined,
      tried_at: isEnded ? undefined : at,
    });
  else await recordUnread(tx, after, now);
  const reason = isPlaceLost ? result : 'proof_missing';
  const noted = isEnded ? await tx.claims.claim(handle) : undefined;
  if (noted && noted.suspended_reason !== reason) await suspend(tx, noted, { reason, at, commit });
  if (isPlaceLost)
    for (const { hash } of await tx.claims.capabilities(handle))
      await tx.claims.setCapabilityState(hash, 'revoked', at);
}

/**
 * Suspends the claim if no active capability is left. `leaked`: found in a claim file. Undefined if there is
 * no claim, or the capability had ended already.
 */
export async function endCapability(
  tx: ClaimTransaction,
  claim: Claim | undefined,
  { hash, id, state }: Capability,
  { state: ended, at }: { readonly state: 'revoked' | 'leaked'; readonly at: string },
): Promise<Claim | undefined> {
  if (!claim || state === 'revoked' || state === 'leaked') return undefined;
  const isLeaked = ended === 'leaked';
  await tx.claims.setCapabilityState(hash, ended, at);
  const event = { type: 'revoked', at, ...(isLeaked && { reason: 'secret_published' }) } as const;
  await recordClaimEvent(tx, claim, { ...event, capability_id: id });
  return (await tx.claims.capabilities(claim.handle)).some((capability) => capability.state === 'active')
    ? claim
    : suspendClaim(tx, claim, { reason: isLeaked ? 'secret_published' : 'withdrawn', at });
}
