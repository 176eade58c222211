import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { every, unlessAborted } from '../../core/every.ts';
import { createFairPool } from '../../core/fair-pool.ts';
import { readPages } from '../../core/paging/pages.ts';
import type { Listing } from '../../listings/listing.ts';
import { type Claim, type ClaimKind, isFromDns, isInRepository, type OptOut } from '../claim.ts';
import { findTarget, findToCheck } from '../locations.ts';
import { isRereadable, type MissingProof, secondReading_ms } from '../standing.ts';
import { recordMissing, recordUnread } from '../suspend.ts';
import { checkClaim } from './check.ts';

const page = 100;
const passesPerInterval = 20;
const longestSleep_s = 3600;

const pauseOf_ms = ({ claimRecheck_s }: Context['config']) =>
  Math.min(longestSleep_s, claimRecheck_s / passesPerInterval) * 1000;

/**
 * In ms since 1970: after the interval ± 20 %, or a quarter of that after a failed check. After a first
 * reading that did not find the line or the location, the second is due a day later at the latest.
 */
export function recheckDue_ms(
  {
    handle,
    checked_at,
    tried_at,
    missing,
  }: Pick<Claim, 'handle' | 'checked_at' | 'tried_at'> & Partial<Pick<Claim, 'missing'>>,
  interval_s: number,
): number {
  const last = tried_at ?? checked_at;
  const spread = hash('sha256', `${handle}\n${last}`, 'buffer').readUInt16BE(0) / 65_535;
  const wait_ms = (interval_s * 1000) / (tried_at === undefined ? 1 : 4);
  const due_ms = Date.parse(last) + wait_ms * (0.8 + 0.4 * spread);
  const second_ms = missing?.line === undefined ? due_ms : Date.parse(missing.line) + secondReading_ms;
  return Date.parse(last) < second_ms ? Math.min(due_ms, second_ms) : due_ms;
}

function optOutDue_ms(optOut: OptOut, interval_s: number): number {
  const second_ms = Date.parse(optOut.seen_at) + secondReading_ms;
  const isWaiting = optOut.state === 'seen' && Date.parse(optOut.checked_at) < second_ms;
  const missing = optOut.missing_at === undefined ? undefined : { line: optOut.missing_at };
  return isWaiting ? second_ms : recheckDue_ms({ ...optOut, missing }, interval_s);
}

async function duesOf(handle: string, claim: Claim | undefined, { store, config }: Context) {
  const optOuts = await store.optOuts.of(handle);
  // The check of an opt-out line by the method of the claim also reads the lines of the claim.
  const isReadThere = optOuts.some(({ state, kind }) => state === 'withdrawn' && kind === claim?.kind);
  const interval_s = config.claimRecheck_s;
  return [
    ...(claim && (!isReadThere || claim.missing)
      ? [{ kind: claim.kind, at_ms: recheckDue_ms(claim, interval_s) }]
      : []),
    ...optOuts.map((optOut) => ({ kind: optOut.kind, at_ms: optOutDue_ms(optOut, interval_s) })),
  ];
}

function claimHost({ kind, place, seen }: Claim): string {
  if (isInRepository(kind)) return URL.parse(place)?.host ?? place;
  return isFromDns(seen) ? 'DNS' : place;
}

/** Claims that are not due are added until this many control roots of a host, and one more, are checked. */
const mostOthers = 5;

/**
 * Collects the readings of one pass. At its end, `record` writes those that show a line or a location to be
 * gone. If most of the checked control roots of a host, and at least two, fail alike, the host is at fault,
 * and these readings count as failed checks. Because few claims are due at once, they are compared with some
 * claims that are not due (`others`).
 */
function createClaimPass() {
  const checked = new Map<string, Map<string, string>>();
  const missing = new Map<string, MissingProof>();
  const undue = new Map<string, Map<string, Claim>>();
  // Checks of suspended claims often fail, so they show nothing about the host.
  const put = <T>(hosts: Map<string, Map<string, T>>, claim: Claim, value: T) => {
    if (claim.state !== 'claimed') return;
    const host = claimHost(claim);
    hosts.set(host, (hosts.get(host) ?? new Map<string, T>()).set(claim.root, value));
  };
  const isHostAtFault = ({ claim, result }: MissingProof): boolean => {
    const results = [...(checked.get(claimHost(claim))?.values() ?? [])];
    const alike = results.filter((one) => one === result).length;
    return alike > 1 && alike > results.length / 2;
  };
  return {
    note: (claim: Claim, result: string): void => put(checked, claim, result),
    onMissing: (found: MissingProof): void => void missing.set(found.claim.handle, found),
    noteNotDue(claim: Claim): void {
      if ((undue.get(claimHost(claim))?.size ?? 0) < mostOthers) put(undue, claim, claim);
    },
    /**
     * Claims that are not due, at hosts where a reading found nothing and few claims were checked. Their
     * locations are read before `record` is called.
     */
    others(): Claim[] {
      const hosts = new Set([...missing.values()].map(({ claim }) => claimHost(claim)));
      return [...hosts].flatMap((host) => {
        const known = checked.get(host) ?? new Map<string, string>();
        const left = [...(undue.get(host)?.values() ?? [])].filter(({ root }) => !known.has(root));
        return left.slice(0, Math.max(0, mostOthers + 1 - known.size));
      });
    },
    async record({ store, log }: Pick<Context, 'store' | 'log'>): Promise<void> {
      for (const found of missing.values()) put(checked, found.claim, found.result);
      for (const found of missing.values()) {
        const { claim, result, now } = found;
        const isAtFault = isHostAtFault(found);
        if (isAtFault) log.warn({ handle: claim.handle, result }, 'most claims of this host fail alike');
        await store.write(async (tx) => {
          if (!isDeepStrictEqual(await tx.claims.claim(claim.handle), claim)) return;
          await (isAtFault
            ? recordUnread(tx, { ...claim, missing: undefined }, now)
            : recordMissing(tx, found));
        });
      }
    },
  };
}
type ClaimPass = ReturnType<typeof createClaimPass>;

async function recheckPlace(
  listing: Listing,
  claim: Claim | undefined,
  kind: ClaimKind,
  { context, pass }: { readonly context: Context; readonly pass: ClaimPass },
): Promise<boolean> {
  const target = findTarget(listing, kind, context);
  // A location that can no longer be read, for example because its host is no longer configured, counts as a
  // failed check.
  if (!target)
    await context.store.write(async (tx) => {
      const claim = await tx.claims.claim(listing.handle);
      if (claim?.state === 'claimed' && claim.kind === kind) await recordUnread(tx, claim, context.clock());
    });
  if (!target) return false;
  // A check in this pass is usually another node's.
  const shared_ms = 0.9 * pauseOf_ms(context.config);
  const by = { onMissing: pass.onMissing, shared_ms };
  const { check, changed, isOwn } = await checkClaim({ ...target, claim }, context, by);
  if (claim?.kind === kind) pass.note(claim, check.result);
  if (!isOwn) return false;
  context.log.debug({ handle: listing.handle, kind, result: check.result, changed }, 'claim checked');
  return true;
}

/** A time too far in the future comes from a clock that was ahead. */
function isDue(at_ms: number, now_ms: number, { claimRecheck_s }: Context['config']): boolean {
  const latest_ms = now_ms + Math.max(1.2 * claimRecheck_s * 1000, secondReading_ms);
  return at_ms <= now_ms || at_ms > latest_ms;
}

/** `isOther`: read for comparison, although it is not due. */
async function recheck(
  { handle, isOther }: { readonly handle: string; readonly isOther: boolean },
  context: Context,
  pass: ClaimPass,
): Promise<boolean> {
  const now_ms = context.clock().getTime();
  const claim = await context.store.claims.claim(handle);
  const listing = await findToCheck(handle, context.store);
  if (!listing) return false;
  const capabilities = await context.store.claims.capabilities(handle);
  const facts = { capabilities, listing, now: context.clock() };
  const dues = await duesOf(handle, claim && isRereadable(claim, facts) ? claim : undefined, context);
  const kinds = new Set(
    dues.filter(({ at_ms }) => isDue(at_ms, now_ms, context.config)).map(({ kind }) => kind),
  );
  if (isOther && claim) kinds.add(claim.kind);
  const checked: boolean[] = [];
  for (const kind of kinds) checked.push(await recheckPlace(listing, claim, kind, { context, pass }));
  return checked.includes(true);
}

async function* readDue(
  { store, config, clock }: Context,
  pass: ClaimPass,
): AsyncGenerator<Pick<Claim, 'handle' | 'place'>> {
  const interval_s = config.claimRecheck_s;
  for await (const claims of readPages<Claim>(page, (last) => store.claims.claimed(last?.handle ?? '', page)))
    for (const claim of claims)
      if (isDue(recheckDue_ms(claim, interval_s), clock().getTime(), config)) yield claim;
      else if (claim.state === 'claimed') pass.noteNotDue(claim);
  for await (const optOuts of readPages<OptOut>(page, (last) => store.optOuts.page(last, page)))
    yield* optOuts.filter((optOut) => isDue(optOutDue_ms(optOut, interval_s), clock().getTime(), config));
}

const hostsAtOnce = 4;
const mostWaiting = 256;

/**
 * Checks the due claims and opt-out lines that no other node checked in this pass, and some claims that are
 * not due, for comparison. Returns the number of claims and lines for which this node read a location. If the
 * signal aborts, running checks are dropped.
 */
export async function recheckClaims(context: Context, stopped: AbortSignal = new AbortController().signal) {
  let checked = 0;
  const hourAgo = new Date(context.clock().getTime() - longestSleep_s * 1000).toISOString();
  await context.store.write((tx) => tx.checks.purge(hourAgo));
  // One after the other at each host, so that a host that stalls usually takes only one place.
  const hosts = createFairPool({ places: hostsAtOnce, placesOfKey: 1 });
  const waiting = new Set<Promise<void>>();
  const pass = createClaimPass();
  const check = async ({ handle, place }: Pick<Claim, 'handle' | 'place'>, isOther = false) => {
    const leave = await hosts.enter({ keys: [URL.parse(place)?.host ?? place] });
    try {
      if (stopped.aborted) return;
      if (await unlessAborted(recheck({ handle, isOther }, context, pass), stopped)) checked += 1;
    } catch (err) {
      if (!stopped.aborted) context.log.warn({ err, handle }, 'claim re-check failed');
    } finally {
      leave?.();
    }
  };
  for await (const due of readDue(context, pass)) {
    if (stopped.aborted) break;
    const checking = check(due).finally(() => waiting.delete(checking));
    waiting.add(checking);
    while (waiting.size >= mostWaiting) await Promise.race(waiting);
  }
  await Promise.all(waiting);
  await Promise.all(pass.others().map((claim) => check(claim, true)));
  if (!stopped.aborted) await pass.record(context);
  return checked;
}

/** The signal also drops running checks. Never rejects. */
export function startRecheck(context: Context, signal: AbortSignal): Promise<void> {
  const pause_ms = pauseOf_ms(context.config);
  return every({
    signal,
    pause_ms,
    first_ms: pause_ms,
    async run() {
      await recheckClaims(context, signal);
    },
    onError: (err) => context.log.warn({ err }, 'claim re-check failed'),
  });
}
