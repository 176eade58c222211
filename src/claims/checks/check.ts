import { setTimeout as wait } from 'node:timers/promises';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { Problem } from '../../core/problem.ts';
import { day_s } from '../../core/text.ts';
import { takeLimits, toWidestNetwork } from '../../limits/limit.ts';
import { findAgainst, requireMayWrite } from '../../moderation/require-may-write.ts';
import { findOne, upsert } from '../../store/query.ts';
import type { Lease } from '../../store/store.ts';
import type { TableValue } from '../../store/table.ts';
import { applyReading, type ReadingOutcome, readCosigners } from '../apply.ts';
import { claimKeyRing, isSignedBy, readChallenge } from '../challenge.ts';
import type { Claim } from '../claim.ts';
import {
  bindingOf,
  type ClaimOnRecord,
  type ClaimTarget,
  findToCheck,
  type LocationReading,
  readLocation,
  rootsOf,
  type SeenKey,
  toSubject,
} from '../locations.ts';
import type { CheckResult, claimCheck } from '../methods.ts';
import { optOutText } from '../rules.ts';
import { type ClaimTransaction, checkTable, type Db } from '../schema.ts';
import { isHeld } from '../standing.ts';

/** Stored, so that all nodes return the same result. */
type SharedCheck = TableValue<typeof checkTable>;
type CheckName = Pick<SharedCheck, 'handle' | 'place'>;

interface CheckSubject extends CheckName {
  readonly hasClaim: boolean;
  /** How long later callers get the outcome. */
  readonly shared_ms: number;
}

export const createCheckReads = (db: Db) => ({
  /** Kept for at least an hour, unless a newer one replaces it. */
  newest: (handle: string, place: string): Promise<SharedCheck | undefined> =>
    findOne(db, 'claim_check', { handle, place }, checkTable),
});

export const createCheckWrites = (db: Db) => ({
  ...createCheckReads(db),
  async put(check: SharedCheck): Promise<void> {
    await upsert(db, 'claim_check', checkTable.encode(check), 'handle', 'place').execute();
  },
  async purge(before: string): Promise<void> {
    await db.deleteFrom('claim_check').where('begun_at', '<', before).execute();
  },
});

/** For so long, later callers get the outcome of a requested check, unless it may be repeated. */
const window_ms = 30_000;
const pollEvery_ms = 100;

const leaseOf = ({ handle, place }: CheckName) => `check/${handle} ${place}`;

async function findRecent({ handle, place, shared_ms }: CheckSubject, { store, clock }: Context) {
  const check = await store.checks.newest(handle, place);
  if (!check || Math.abs(clock().getTime() - Date.parse(check.begun_at)) >= shared_ms) return undefined;
  const { isRepeatable = false } = check.outcome as { readonly isRepeatable?: boolean };
  return { check, isCurrent: !isRepeatable };
}

async function awaitTurn(subject: CheckSubject, context: Context) {
  const { checkTurns, caller } = context;
  if ((await findRecent(subject, context))?.isCurrent) return () => {};
  const leave = await checkTurns.enter({
    keys: [toWidestNetwork(caller.network)],
    isPreferred: subject.hasClaim,
  });
  if (leave) return leave;
  const detail = 'Too many claims are being checked at the moment.';
  throw new Problem('unavailable', { retry_after_s: 5, detail });
}

/**
 * Called in the transaction that applies the outcome. `wasAnswered`: nothing was proven, although the host or
 * DNS gave a usable answer.
 * @throws unavailable if a newer check may have begun by now
 */
type SaveOutcome = (tx: ClaimTransaction, outcome: object, wasAnswered: boolean) => Promise<void>;

interface SharedOutcome<T> {
  readonly outcome: T;
  readonly begun_ms: number;
  readonly isOwn: boolean;
}

type RunCheck<T> = (save: SaveOutcome) => Promise<T>;

/** `isFirst`: none with this handle and place began in the last 30 seconds. */
async function runOurs<T extends object>(
  { handle, place }: CheckName,
  { clock }: Context,
  { lease, isFirst }: { readonly lease: Lease; readonly isFirst: boolean },
  check: RunCheck<T>,
): Promise<SharedOutcome<T>> {
  const begun = clock();
  let mark: { readonly isRepeatable?: true } = {};
  const outcome = await check(async (tx, found, wasAnswered) => {
    if (!(await tx.leases.isHeldBy(lease))) throw new Problem('unavailable', { retry_after_s: 1 });
    mark = isFirst && wasAnswered ? { isRepeatable: true } : {};
    const checked = { handle, place, begun_at: begun.toISOString(), owner: lease.owner };
    await tx.checks.put({ ...checked, outcome: { ...found, ...mark } });
  });
  return { outcome: { ...outcome, ...mark }, begun_ms: begun.getTime(), isOwn: true };
}

async function runForAllNodes<T extends object>(subject: CheckSubject, context: Context, check: RunCheck<T>) {
  const name = leaseOf(subject);
  let recent = await findRecent(subject, context);
  const before = recent?.check.owner;
  const end_ms = performance.now() + context.timeouts.request_ms;
  for (;;) {
    // A caller gets the outcome that it waited for, even if the next call repeats that check.
    if (recent && (recent.isCurrent || recent.check.owner !== before)) {
      const { outcome, begun_at } = recent.check;
      return { outcome: outcome as T, begun_ms: Date.parse(begun_at), isOwn: false };
    }
    await using lease = await context.store.leases.take(name);
    recent = await findRecent(subject, context);
    if (lease && (!recent || recent.check.owner === before))
      return await runOurs(subject, context, { lease, isFirst: !recent }, check);
    const detail = 'Another node of this service is checking this location.';
    if (performance.now() >= end_ms) throw new Problem('unavailable', { retry_after_s: 5, detail });
    if (!lease) await wait(pollEvery_ms);
  }
}

/**
 * Checks with the same handle and place run one at a time across all nodes. Their outcome is shared for
 * `shared_ms`. One outcome is not shared later: a usable answer that proves nothing, if the check
 * was requested and no other check began in that time before it. The claimant may publish a line right after
 * such a check.
 */
async function runSharedCheck<T extends object>(subject: CheckSubject, context: Context, check: RunCheck<T>) {
  // Each would otherwise poll the database.
  const { runningChecks } = context;
  const key = leaseOf(subject);
  const findRunning = () => runningChecks.get(key) as Promise<SharedOutcome<T>> | undefined;
  const join = async (running: Promise<SharedOutcome<T>>) => ({ ...(await running), isOwn: false });
  const running = findRunning();
  if (running !== undefined) return join(running);
  const leave = await awaitTurn(subject, context);
  const begun = findRunning();
  if (begun !== undefined) {
    leave();
    return join(begun);
  }
  const own = runForAllNodes(subject, context, check).finally(() => {
    runningChecks.delete(key);
    leave();
  });
  runningChecks.set(key, own);
  return own;
}

/**
 * `listing_withdrawn`: by the registry, the publisher or the operator. `note` is about an opt-out line that
 * does not withdraw the listing now.
 */
export interface CheckedClaim {
  readonly check: z.infer<typeof claimCheck>;
  readonly changed: ReadingOutcome['changed'];
  readonly note?: string;
  readonly keys?: readonly SeenKey[];
  readonly begun_ms?: number;
  readonly reasons?: Readonly<Record<string, CheckResult>>;
  /** The next call checks again at once. */
  readonly isRepeatable?: boolean;
}

function toChecked(
  { read }: Pick<LocationReading, 'read'>,
  { result, changed, seen = read.seen, reasons, optOut }: ReadingOutcome,
  { claim, at }: { readonly claim: Claim | undefined; readonly at: Date },
): CheckedClaim {
  const { commit, branch, pinned } = read;
  const wait_s = read.result === 'file' ? undefined : read.retry_after_s;
  const check: CheckedClaim['check'] = {
    result,
    at: at.toISOString(),
    ...(commit && { commit }),
    ...(branch && { branch }),
    ...seen,
    pinned,
    ...(wait_s !== undefined && { retry_after_s: wait_s }),
  };
  const note = optOut && optOutText(optOut, claim?.state);
  const keys = read.result === 'file' && read.keys;
  return {
    check,
    changed,
    ...(note && { note }),
    ...(keys && { keys }),
    ...(reasons && { reasons: Object.fromEntries(reasons) }),
  };
}

const isAnswered = ({ check: { result } }: CheckedClaim) =>
  !/^(proven$|listing_withdrawn$|host_|redirect_|dns_no_answer)/.test(result);

async function readOnRecord({ listing }: ClaimTarget, { store, clock }: Context): Promise<ClaimOnRecord> {
  const claim = await store.claims.claim(listing.handle);
  const capabilities = await store.claims.capabilities(listing.handle);
  return { claim, isHolding: claim !== undefined && isHeld(claim, { capabilities, listing, now: clock() }) };
}

/**
 * `presented` is the id of an active capability of the listing. Only a re-check sets `onMissing` and
 * `shared_ms`.
 */
interface CheckedBy {
  readonly presented?: string | undefined;
  readonly onMissing?: LocationReading['onMissing'];
  readonly shared_ms?: number;
}

/**
 * The limit counts the requested checks of a listing that add entries to the log, on all nodes together.
 * Re-checks are not counted, so that they take effect even if requests have used up the limit.
 */
export const claimChangeLimit = { name: 'claim_change', burst: 60, refill_s: day_s } as const;

async function apply(
  target: ClaimTarget,
  was: Pick<LocationReading, 'read' | 'signed'>,
  { context, onMissing, presented, save }: CheckedBy & { context: Context; save: SaveOutcome },
): Promise<CheckedClaim> {
  const reading = {
    ...target,
    ...was,
    binding: bindingOf(target, context),
    ring: await claimKeyRing(context),
  };
  const now = context.clock();
  const isAsked = onMissing === undefined;
  return context.store.write(async (tx) => {
    const { listing, place } = target;
    const current = await findToCheck(listing.handle, tx);
    if (!current || current.withdrawn !== listing.withdrawn || current.repository !== listing.repository)
      throw new Problem('unavailable', { detail: 'The listing changed during the check.', retry_after_s: 1 });
    const claim = await tx.claims.claim(listing.handle);
    const writer = { handle: listing.handle, roots: rootsOf(place, claim) };
    const writing = { ...context, store: tx };
    if (isAsked) await requireMayWrite(writing, writer);
    const isBlocked = !isAsked && (await findAgainst(writing, writer)) !== undefined;
    const cosigners = presented === undefined ? [] : await readCosigners(tx, { handle: listing.handle, now });
    const isHolder = cosigners.some(({ id, state }) => id === presented && state === 'active');
    const entries = await tx.log.size();
    const outcome = await applyReading(tx, { ...reading, now, isBlocked, isHolder, onMissing }, claim);
    if (isAsked && (await tx.log.size()) > entries)
      await takeLimits(tx, [{ limit: claimChangeLimit, key: listing.handle }], context);
    const checked = toChecked(reading, outcome, { claim, at: now });
    await save(tx, checked, isAnswered(checked));
    return checked;
  });
}

/**
 * With the keys and challenges of the shared check; returns `checked` if it found no key.
 * @throws unavailable if the keys were read again or the listing changed meanwhile, writing_blocked or
 * rate_limited
 */
export async function checkSignature(
  target: ClaimTarget,
  { checked, sent }: { checked: CheckedClaim; sent: { challenge: string; signature: string } },
  context: Context,
): Promise<CheckedClaim> {
  const { keys, check, begun_ms = 0 } = checked;
  const challenge = readChallenge(sent.challenge);
  if (!keys || !challenge) return checked;
  const signer = keys.find((key) => isSignedBy(key, sent.challenge, sent.signature));
  const read = { result: 'file', text: '', keys, pinned: check.pinned } as const;
  const save: SaveOutcome = async (tx) => {
    const newest = await tx.checks.newest(target.listing.handle, toSubject(target.place));
    if (newest && Date.parse(newest.begun_at) > begun_ms)
      throw new Problem('unavailable', { detail: 'The keys were read again meanwhile.', retry_after_s: 1 });
  };
  const signed = { ...challenge, signer };
  return apply(target, { read, signed }, { context, save });
}

/**
 * Returns the last check if that is current (`runSharedCheck`). Re-checks and each holder of an active
 * capability have checks of their own, so that nobody else's check replaces theirs.
 */
export async function checkClaim(
  target: ClaimTarget,
  context: Context,
  { onMissing, presented, shared_ms = window_ms }: CheckedBy = {},
): Promise<CheckedClaim & { readonly isOwn?: true }> {
  const { handle } = target.listing;
  const holder = presented === undefined ? '' : ` holder ${presented}`;
  const place = `${toSubject(target.place)}${onMissing ? ' recheck' : holder}`;
  const subject = { handle, place, hasClaim: target.claim !== undefined, shared_ms };
  const { outcome, begun_ms, isOwn } = await runSharedCheck(subject, context, async (save) => {
    const read = await readLocation(target.place, await readOnRecord(target, context), context);
    // Nobody waits for a new line after a re-check, so the other nodes use its outcome in any case.
    const saveChecked: SaveOutcome = onMissing ? (tx, checked) => save(tx, checked, false) : save;
    return apply(target, { read }, { context, onMissing, presented, save: saveChecked });
  });
  if (isOwn) return { ...outcome, begun_ms, isOwn };
  const { check } = outcome;
  if (outcome.isRepeatable) return { ...outcome, begun_ms, changed: 'none' };
  const wait_ms = begun_ms + window_ms - context.clock().getTime();
  const wait_s = Math.ceil(Math.min(wait_ms, window_ms) / 1000);
  const retry_after_s = Math.max(wait_s, 1, check.retry_after_s ?? 0);
  return {
    ...outcome,
    begun_ms,
    check: check.result === 'proven' ? check : { ...check, retry_after_s },
    changed: 'none',
  };
}
