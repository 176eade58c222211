import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AskedCheck, Context, ReadListing } from '../context.ts';
import { every } from '../core/every.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { handleParts } from '../core/handle.ts';
import { registrableDomain } from '../core/identity.ts';
import { readPages } from '../core/paging/pages.ts';
import { toWidestNetwork } from '../limits/limit.ts';
import { isSample } from '../listings/listing.ts';
import { measure } from '../telemetry/metrics.ts';
import type { CheckReport, Checks } from './observe-listing.ts';
import { createObserver, type ObserverContext } from './observer.ts';
import { createReadLimits } from './read-limits.ts';
import { createQueue, type WaitingListing } from './waiting.ts';

export type CheckCounts = Readonly<Record<'observed' | 'changed' | 'failed', number>>;

const page = 500;
const places = 32;
/** Of a domain, namespace, control root that asks for checks, or network of readers. */
const placesOfKey = 2;
const placesOfReaders = 8;
/** So many slow checks of readers take none of these places, so that slow hosts keep no others waiting. */
const placesOfSlow = 16;
/** For each of two queues: the checks that holders of claims asked for, and those that reads began. */
const mostAsked = 64;
const mostAskedOfKey = 8;
const leasedPause_ms = 2000;
const tick_ms = 250;
/** The namespace of a check that was ended from outside pauses, because all others were interrupted. */
const rest_ms = 3_600_000;
/** After so many, other work of the thread gets its turn. */
const readAtOnce = 50;

/** An interval (±10 %) after the last check; 0 if there was none, or the record changed since. */
export function dueAt_ms(
  handle: string,
  { observed_at, due_since }: Pick<ReadListing, 'observed_at' | 'due_since'>,
  interval_s: number,
): number {
  if (observed_at === null || due_since) return 0;
  const share = hash('sha256', `${handle}\n${observed_at}`, 'buffer').readUInt16BE(0) / 65_535;
  return Date.parse(observed_at) + interval_s * 1000 * (0.9 + 0.2 * share);
}

type ScheduleContext = Pick<Context, 'store' | 'config' | 'clock' | 'log' | 'timeouts'>;

const isDue = (
  handle: string,
  last: Parameters<typeof dueAt_ms>[1],
  { config, clock }: Pick<Context, 'config' | 'clock'>,
) => dueAt_ms(handle, last, config.observeInterval_s) <= clock().getTime();

async function readDue(context: ScheduleContext): Promise<string[]> {
  const { lastRuns } = context.store.observations;
  const pages = readPages<Awaited<ReturnType<typeof lastRuns>>[number]>(page, (last) =>
    lastRuns(last?.id ?? -1, page),
  );
  const due: string[] = [];
  for await (const runs of pages)
    for (const run of runs) if (!isSample(run) && isDue(run.handle, run, context)) due.push(run.handle);
  return due;
}

const namespaceKey = (handle: string) => `namespace ${handleParts(handle).namespace}`;

const turnKeys = ({ handle, remotes }: Pick<ReadListing, 'handle' | 'remotes'>, ...others: string[]) => {
  const hosts = remotes.flatMap(({ url }) => URL.parse(url)?.hostname ?? []);
  const domains = hosts.map((host) => `domain ${registrableDomain(host)}`);
  return [...new Set([namespaceKey(handle), ...domains, ...others])];
};

/** A number says when to try again (ms since 1970). */
async function checkWaiting(
  one: WaitingListing,
  checks: Checks,
  context: ScheduleContext,
): Promise<CheckReport | number | undefined> {
  const { store, clock } = context;
  const listing = await store.listings.byHandle(one.handle);
  if (!listing || listing.withdrawn) return undefined;
  const isAsked = one.why === 'asked';
  const pause = isAsked || one.wasTried ? undefined : await checks.pausedUntil(listing);
  // A host that asks for a pause again and again would otherwise keep the listing from being checked.
  one.wasTried = true;
  if (pause !== undefined) return Date.parse(pause);
  const report = await checks.observeIfDue(listing, async () => {
    const known = await store.observations.ofListing(one.handle);
    return isAsked || isDue(one.handle, known ?? { observed_at: null }, context);
  });
  if (report === 'leased') return clock().getTime() + leasedPause_ms;
  if (report === 'interrupted') return clock().getTime();
  return report === 'not_due' ? undefined : report;
}

function createShares(waiting: readonly WaitingListing[]) {
  const counts = new Map<string, number>();
  for (const { keys = [] } of waiting) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (keys: readonly string[] = []) => Math.max(0, ...keys.map((key) => counts.get(key) ?? 0));
}

/** A check that fails is logged and counted; the others go on. */
export function createSchedule(
  checks: Checks,
  context: ScheduleContext,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress?(counts: CheckCounts): void },
) {
  const { store, clock, log, timeouts } = context;
  const asked = createQueue();
  const read = createQueue();
  const due = createQueue();
  const limits = createReadLimits(context.config);
  const running = new Map<WaitingListing, Promise<void>>();
  const resting = new Map<string, number>();
  const pool = createFairPool({ places: places + placesOfSlow, placesOfKey });
  const rests = (key: string) => (resting.get(key) ?? 0) > clock().getTime();
  const isFull = (key: string) => pool.isFull(key) || rests(key);
  const rest = ({ handle }: WaitingListing) => {
    for (const key of resting.keys()) if (!rests(key)) resting.delete(key);
    const ofNamespace = namespaceKey(handle);
    resting.set(ofNamespace, clock().getTime() + rest_ms);
    for (const one of [...read.values()])
      if (one.keys?.includes(ofNamespace) && !running.has(one)) read.delete(one);
  };
  const counts = { observed: 0, changed: 0, failed: 0 };
  let news = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => news.resolve(), { once: true });
  const queueOf = ({ why }: WaitingListing) => ({ asked, read, due })[why];
  const placesTaken = (ones = [...running.keys()]) =>
    ones.length - Math.min(placesOfSlow, ones.filter(({ isSlow }) => isSlow).length);
  const readersHaveRoom = () =>
    placesTaken([...running.keys()].filter(({ why }) => why === 'read')) < placesOfReaders;
  const fail = (error: unknown, { handle }: WaitingListing) => {
    if (signal.aborted) return;
    log.warn({ err: error, handle }, 'an observation run failed');
    counts.failed += 1;
  };

  const slowDown = (one: WaitingListing) => {
    one.isSlow = true;
    if (one.reader) limits.countSlow(one.reader, clock().getTime());
    news.resolve();
  };
  const run = async (one: WaitingListing, leave: () => void): Promise<void> => {
    const timer = one.why === 'read' ? setTimeout(slowDown, timeouts.observerSlow_ms, one) : undefined;
    const ended = await checkWaiting(one, checks, context).catch((error: unknown) => fail(error, one));
    clearTimeout(timer);
    delete one.isSlow;
    leave();
    running.delete(one);
    if (typeof ended === 'number') {
      one.notBefore_ms = ended;
      queueOf(one).putBack(one);
    } else queueOf(one).delete(one);
    if (typeof ended === 'object') {
      counts.observed += 1;
      if (ended.changes > 0) counts.changed += 1;
      if (ended.wasEnded) rest(one);
    }
    measure('dossier_observer_due_listings', {}, due.size());
    onProgress?.(counts);
    news.resolve();
  };

  let keysRead = 0;
  const readKeys = async ({ handle, root }: WaitingListing) => {
    keysRead += 1;
    if (keysRead % readAtOnce === 0) await setImmediate();
    const listing = await store.listings.byHandle(handle);
    return listing && turnKeys(listing, ...(root === undefined ? [] : [`root ${root}`]));
  };

  const beginNext = async (): Promise<boolean> => {
    const now_ms = clock().getTime();
    for (const queue of [asked, ...(readersHaveRoom() ? [read] : []), due])
      for (const one of queue.candidates(isFull)) {
        if (one.notBefore_ms > now_ms) continue;
        one.keys ??= await readKeys(one);
        const full = one.keys?.find(isFull);
        const leave = one.keys && full === undefined ? pool.tryEnter({ keys: one.keys }) : undefined;
        if (!one.keys) queue.delete(one);
        else if (full !== undefined) queue.putBehind(one, full);
        if (!leave) continue;
        queue.take(one);
        running.set(one, run(one, leave));
        return true;
      }
    return false;
  };

  return {
    /** Returns by how many listings the queue grew. */
    async fill() {
      const before = due.size();
      // Listings of one import follow each other; the digest mixes them.
      const handles = (await readDue(context))
        .filter((handle) => !due.has(handle))
        .map((handle) => ({ handle, at: hash('sha256', handle, 'base64') }));
      for (const { handle } of handles.toSorted((a, b) => (a.at < b.at ? -1 : 1)))
        due.add({ handle, why: 'due', notBefore_ms: 0 });
      measure('dossier_observer_due_listings', {}, due.size());
      return due.size() - before;
    },
    /** False without room, or if the namespace is in a pause. */
    ask({ handle, root }: AskedCheck): boolean {
      if (asked.has(handle)) return true;
      if (rests(namespaceKey(handle))) return false;
      const ofRoot = [...asked.values()].filter((one) => one.root === root);
      if (asked.size() >= mostAsked || ofRoot.length >= mostAskedOfKey) return false;
      asked.add({ handle, why: 'asked', root, notBefore_ms: 0 });
      news.resolve();
      return true;
    },
    /** Whether a check is queued or running, also if another read began it. */
    read({ network, ...listing }: ReadListing): boolean {
      const { handle } = listing;
      if (asked.has(handle)) return true;
      if (!isDue(handle, listing, context)) return false;
      if (read.has(handle)) return true;
      if (signal.aborted) return false;
      const keys = turnKeys(listing, `network ${toWidestNetwork(network)}`);
      const waiting = [...read.values()].filter((one) => !running.has(one));
      const share = createShares(waiting);
      if (keys.some(rests) || share(keys) >= mostAskedOfKey) return false;
      const heavier = (most: WaitingListing, one: WaitingListing) =>
        share(one.keys) > share(most.keys) ? one : most;
      const last = waiting.length < mostAsked ? undefined : waiting.reduceRight(heavier);
      if (last && share(last.keys) <= share(keys) + 1) return false;
      const domains = keys.filter((key) => key.startsWith('domain '));
      if (!limits.hasRoom({ handle, network, domains }, clock().getTime())) return false;
      if (last) read.delete(last);
      read.add({ handle, why: 'read', reader: { network, domains }, keys, notBefore_ms: 0 });
      news.resolve();
      return true;
    },
    async step() {
      news = Promise.withResolvers();
      while (placesTaken() < places && !signal.aborted && (await beginNext()));
      if (signal.aborted) return;
      const tick = setTimeout(news.resolve, tick_ms);
      await news.promise;
      clearTimeout(tick);
    },
    size: () => due.size() + read.size() + asked.size(),
    counts: (): CheckCounts => counts,
    end: async () => void (await Promise.all(running.values())),
  };
}

/** Without the shipped sample. Unchecked listings stay due if the process is killed. */
export async function observeDue(
  checks: Checks,
  context: ScheduleContext,
  options: Parameters<typeof createSchedule>[2],
): Promise<CheckCounts> {
  const schedule = createSchedule(checks, context, options);
  try {
    await schedule.fill();
    while (schedule.size() > 0 && !options.signal.aborted) await schedule.step();
  } finally {
    await schedule.end();
  }
  return schedule.counts();
}

const shortestPause_ms = 2000;
const longestPause_ms = 600_000;
const fillsPerInterval = 20;

const pauseLimit_ms = ({ observeInterval_s }: Context['config']) =>
  Math.min(longestPause_ms, (observeInterval_s * 1000) / fillsPerInterval);

/** Looks less often while nothing is due. Resolves once the running checks have ended. */
export async function startObserving(
  context: ObserverContext & Pick<Context, 'askedChecks'>,
  signal: AbortSignal,
  checks: Checks = createObserver(context, signal),
): Promise<void> {
  const { config, log, askedChecks } = context;
  const schedule = createSchedule(checks, context, { signal });
  askedChecks.add = schedule.ask;
  askedChecks.read = schedule.read;
  const isScheduled = config.observe === 'on';
  log.info(
    `observing: ${isScheduled ? 'every listing is checked about' : 'a listing is checked when it is read, at most'} every ${config.observeInterval_s} s`,
  );
  let fill_ms = 0;
  let filled_ms = performance.now();
  await every({
    signal,
    pause_ms: shortestPause_ms,
    async run() {
      if (isScheduled && performance.now() - filled_ms >= fill_ms) {
        const isMore = (await schedule.fill()) > 0;
        const longer_ms = Math.min(pauseLimit_ms(config), Math.max(fill_ms * 2, shortestPause_ms));
        fill_ms = isMore ? shortestPause_ms : longer_ms;
        filled_ms = performance.now();
      }
      await schedule.step();
      return 0;
    },
    onError: (err) => log.warn({ err }, 'a round of the schedule failed; it is tried again'),
  });
  delete askedChecks.add;
  delete askedChecks.read;
  await schedule.end();
  await checks.close();
}
