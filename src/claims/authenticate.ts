import type { Context } from '../context.ts';
import { capabilityHash, isCapability } from '../core/keys/capability.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { takeLimits, takeNetworkLimits } from '../limits/limit.ts';
import { isGone, type Listing } from '../listings/listing.ts';
import { requireMayWrite } from '../moderation/require-may-write.ts';
import type { Reads } from '../store/store.ts';
import type { Capability } from './claim.ts';
import { optOutText } from './rules.ts';
import { isElsewhere, isLapsed, isLiving, waitingText } from './standing.ts';
import { endCapability } from './suspend.ts';

/** On all adapters together. */
export const badCapabilityLimit = { name: 'bad_capability', burst: 20, refill_s: 60 } as const;

async function whyUnlisted(
  { handle, withdrawn }: Pick<Listing, 'handle' | 'withdrawn'>,
  optOuts: Reads['optOuts'],
): Promise<string> {
  const line = withdrawn === 'optout' ? await optOuts.withdrawing(handle) : undefined;
  if (line && !(line.listing && isGone(line.listing))) return optOutText(line);
  return withdrawn === 'operator'
    ? 'The operator of this directory withdrew it.'
    : 'The registry does not list it any more.';
}

/** Blocks and revocations by the operator are not checked. */
export async function findRefusal(
  { claims, listings, optOuts }: Pick<Reads, 'claims' | 'listings' | 'optOuts'>,
  capability: Capability,
  now: Date,
): Promise<Problem | undefined> {
  if (capability.state === 'waiting') return new Problem('capability_waiting', waitingText(capability));
  if (!isLiving(capability)) return new Problem('capability_revoked');
  const { handle, state } = capability;
  const claim = await claims.claim(handle);
  const listing = await listings.byHandle(handle);
  if (isLapsed(capability, now)) return new Problem('capability_lapsed');
  if (listing?.withdrawn) return new Problem('capability_unlisted', await whyUnlisted(listing, optOuts));
  if (claim && listing && isElsewhere(claim, listing)) return new Problem('capability_repository_changed');
  return state === 'active' && claim?.state === 'claimed' ? undefined : new Problem('capability_suspended');
}

/** Only bad capabilities count, so that the limit refuses no good one from the same network. */
async function refuseBad(refusal: Problem, context: Context): Promise<never> {
  await takeNetworkLimits(context, [badCapabilityLimit]);
  throw refusal;
}

async function findHolder(context: Context) {
  const { capability } = context.caller;
  if (!capability) throw new Problem('capability_required');
  if (capability === 'conflict') return refuseBad(new Problem('capability_conflict'), context);
  const holder = isCapability(capability)
    ? await context.store.claims.holder(capabilityHash(capability))
    : undefined;
  return holder ?? refuseBad(new Problem('capability_invalid'), context);
}

/**
 * By actions of the operator against the capability, its listing or namespace, the holder of the claim, and
 * the caller's network.
 * @throws writing_blocked or capability_revoked
 */
export async function requireMayWriteWith(
  { id: capability_id, handle }: Capability,
  context: Pick<Context, 'config' | 'caller'> & { readonly store: Pick<Reads, 'claims' | 'moderation'> },
  { isTakingBack = false } = {},
): Promise<void> {
  const claim = await context.store.claims.claim(handle);
  const roots = claim ? [claim.root] : [];
  await requireMayWrite(context, { handle, roots, capability_id, isTakingBack });
}

/**
 * @throws capability_required, capability_conflict, capability_invalid, a problem of `findRefusal`,
 * writing_blocked, or rate_limited after too many bad capabilities
 */
export async function authenticate(context: Context, { isTakingBack = false } = {}): Promise<Capability> {
  const { capability, isClaimed } = await findHolder(context);
  const isWorking = capability.state === 'active' && isClaimed;
  const refusal = isWorking ? undefined : await findRefusal(context.store, capability, context.clock());
  if (refusal) return refuseBad(refusal, context);
  await requireMayWriteWith(capability, context, { isTakingBack });
  return capability;
}

/**
 * Actions of the operator are not considered.
 * @throws capability_required, capability_conflict, capability_invalid, capability_revoked,
 * capability_lapsed, or rate_limited after too many bad capabilities
 */
export async function requireContinuing(handle: string, context: Context): Promise<void> {
  const { capability } = await findHolder(context);
  const refuse = (code: ProblemCode) => refuseBad(new Problem(code), context);
  if (capability.state === 'waiting') return refuse('capability_waiting');
  if (capability.handle !== handle) return refuse('capability_invalid');
  if (!isLiving(capability)) return refuse('capability_revoked');
  if (isLapsed(capability, context.clock())) return refuse('capability_lapsed');
}

/**
 * Ends even a suspended capability. With the id of a line that waits, a capability that works ends that line
 * instead.
 * @throws capability_required, capability_conflict, capability_invalid, capability_revoked, not_found, or
 * rate_limited after too many bad capabilities
 * @throws the problems of `authenticate`, with an id
 */
export async function revokeCapability(context: Context, id?: string) {
  const own = id === undefined ? (await findHolder(context)).capability : await authenticate(context);
  const { handle } = own;
  const revoked_at = context.clock().toISOString();
  const capability_id = await context.store.write(async (tx) => {
    const all = await tx.claims.capabilities(handle);
    const row = id === undefined ? own : all.find((one) => one.id === id && one.state === 'waiting');
    if (!row) throw new Problem('not_found', 'No line with this capability_id waits.');
    const claim = await tx.claims.claim(handle);
    const known = await tx.claims.capability(row.hash);
    if (!known || !(await endCapability(tx, claim, known, { state: 'revoked', at: revoked_at })))
      throw new Problem('capability_revoked');
    return row.id;
  });
  return { handle, capability_id, revoked_at };
}

export const askedRunLimit = { name: 'asked_check', burst: 1, refill_s: 600 } as const;

/**
 * The observer of this process checks it before the listings that are due.
 * @throws not_found if this process does not observe
 * @throws rate_limited before `next_at`, if too many requested checks wait, or for an hour after a check in
 * its namespace had to be stopped
 * @throws the problems of `authenticate`
 */
export async function askRun(context: Context) {
  const capability = await authenticate(context);
  const { handle } = capability;
  const root = (await context.store.claims.claim(handle))?.root ?? handle;
  if (!context.askedChecks.add)
    throw new Problem('not_found', 'This service does not check listings itself (OBSERVE).');
  await context.store.write(async (tx) => {
    await requireMayWriteWith(capability, { ...context, store: tx });
    await takeLimits(tx, [{ limit: askedRunLimit, key: handle }], context);
    if (!context.askedChecks.add?.({ handle, root }))
      throw new Problem('rate_limited', {
        retry_after_s: 60,
        detail:
          'Either too many requested checks are waiting already, in total or from your account or domain, or a check of a listing in this namespace had to be stopped within the last hour.',
      });
  });
  const now = context.clock();
  const next = new Date(now.getTime() + askedRunLimit.refill_s * 1000);
  return { handle, asked_at: now.toISOString(), next_at: next.toISOString() };
}
