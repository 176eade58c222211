import { createHash } from 'node:crypto';
import type { AskedCheck, Context } from '../context.ts';
import { every } from '../core/every.ts';
import { createFairPool } from '../core/fair-pool.ts';
import { handleParts } from '../core/handle.ts';
import { registrableDomain } from '../core/identity.ts';
import { readAll } from '../core/pages.ts';
import { isSample, type Listing } from '../listings/listing.ts';
import { dueListings } from '../telemetry/events.ts';
import type { RunReport } from './observe-listing.ts';
import { createObserver, type Observer, type ObserverContext } from './observer.ts';

/** What became of the checks so far. */
export interface CheckCounts {
  readonly looked: number;
  readonly changed: number;
  readonly failed: number;
}

const page = 500;
/** Checks of this process that run at the same time. */
const places = 32;
/** Of these, of one domain, one namespace, or asked for by one control root. */
const placesOfKey = 2;
/** Checks that were asked for and have not ended: of all, and of one control root. */
const mostAsked = 64;
const mostAskedOfRoot = 8;
/** How long a listing that another process checks waits for its next try. */
const leasedPause_ms = 2000;
const tick_ms = 250;

/** Listings of one import stand together; this order mixes them. */
const spread = (handle: string) => createHash('sha256').update(handle).digest('base64');

/** When a listing was last observed, and when its record changed after that. */
interface LastRun {
  readonly observed_at: string | null;
  readonly due_since?: string | null | undefined;
}

/** When a listing is due: the interval (+-10 %) after its last run, or at once if its record changed since. */
export function dueAt_ms(handle: string, { observed_at, due_since }: LastRun, interval_s: number): number {
  if (observed_at === null || due_since) return 0;
  const share = createHash('sha256').update(`${handle}\n${observed_at}`).digest().readUInt16BE(0) / 65_535;
  return Date.parse(observed_at) + interval_s * 1000 * (0.9 + 0.2 * share);
}

const isDue = (handle: string, last: LastRun, { config, clock }: ObserverContext) =>
  dueAt_ms(handle, last, config.observeInterval_s) <= clock().getTime();

async function readDue(context: ObserverContext): Promise<string[]> {
  const { lastRuns } = context.store.observations;
  const runs = await readAll<Awaited<ReturnType<typeof lastRuns>>[number]>(page, (last) =>
    lastRuns(last?.id ?? -1, page),
  );
  return runs.filter((run) => !isSample(run) && isDue(run.handle, run, context)).map(({ handle }) => handle);
}

/** Whether no other node has observed a listing meanwhile. */
const isStillDue = async (handle: string, context: ObserverContext): Promise<boolean> => {
  const known = await context.store.observations.ofListing(handle);
  return isDue(handle, known ?? { observed_at: null }, context);
};

/** A listing from when it is due, or asked for, until its check has ended. */
interface Waiting {
  readonly handle: string;
  /** Whose claim it is, if its check was asked for. */
  readonly root?: string;
  /** Whose places its check takes; read when its turn may have come. */
  keys?: readonly string[];
  notBefore_ms: number;
  wasTried?: true;
}

const hostOf = (url: string) => URL.parse(url)?.hostname;

/** Whose places a check takes: of the publisher, and of the domains that it waits for. */
const keysOf = ({ handle, remotes }: Listing, root: string | undefined): string[] => {
  const hosts = remotes.map(({ url }) => hostOf(url)).filter((host) => host !== undefined);
  const domains = hosts.map((host) => `domain ${registrableDomain(host)}`);
  const of = [`namespace ${handleParts(handle).namespace}`, ...domains, ...(root ? [`root ${root}`] : [])];
  return [...new Set(of)];
};

/** A run at a listing; or when its turn comes again (ms since 1970); undefined if nothing is to be done. */
async function check(
  one: Waiting,
  observer: Observer,
  context: ObserverContext,
): Promise<RunReport | number | undefined> {
  const { store, clock } = context;
  const listing = await store.listings.byHandle(one.handle);
  if (!listing || listing.withdrawn) return undefined;
  const isAsked = one.root !== undefined;
  const pause = isAsked || one.wasTried ? undefined : await observer.pausedUntil(listing);
  // Once: a host that always asks to wait does not keep its listings from being observed.
  one.wasTried = true;
  if (pause !== undefined) return Date.parse(pause);
  const isDue = async () => isAsked || isStillDue(one.handle, context);
  const report = await observer.observeIfDue(listing, isDue);
  if (report === 'leased') return clock().getTime() + leasedPause_ms;
  return report === 'not_due' ? undefined : report;
}

/** The checks of one process: which listings wait, and which may begin. A check that fails is logged, counted, and stops no other. */
export function createSchedule(
  observer: Observer,
  context: ObserverContext,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress?(counts: CheckCounts): void },
) {
  const { store, clock, log } = context;
  const due = new Map<string, Waiting>();
  const asked = new Map<string, Waiting>();
  const running = new Map<Waiting, Promise<void>>();
  const pool = createFairPool({ places, placesOfKey });
  let counts: CheckCounts = { looked: 0, changed: 0, failed: 0 };
  let news = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => news.resolve(), { once: true });
  const remove = ({ handle, root }: Waiting) => (root === undefined ? due : asked).delete(handle);
  const fail = (error: unknown, { handle }: Waiting) => {
    if (signal.aborted) return;
    log.warn({ err: error, handle }, 'an observation run failed');
    counts = { ...counts, failed: counts.failed + 1 };
  };

  const run = async (one: Waiting, leave: () => void): Promise<void> => {
    const ended = await check(one, observer, context).catch((error: unknown) => fail(error, one));
    leave();
    running.delete(one);
    if (typeof ended === 'number') one.notBefore_ms = ended;
    else remove(one);
    if (typeof ended === 'object')
      counts = {
        ...counts,
        looked: counts.looked + 1,
        changed: counts.changed + (ended.changes > 0 ? 1 : 0),
      };
    dueListings.publish({ listings: due.size });
    onProgress?.(counts);
    news.resolve();
  };

  /** Begins the first that may begin now; false if none may. */
  const beginNext = async (): Promise<boolean> => {
    for (const waiting of [asked, due])
      for (const one of waiting.values()) {
        if (running.has(one) || one.notBefore_ms > clock().getTime()) continue;
        if (!one.keys) {
          const listing = await store.listings.byHandle(one.handle);
          if (listing) one.keys = keysOf(listing, one.root);
          else remove(one);
        }
        const leave = one.keys && pool.tryEnter({ keys: one.keys });
        if (!leave) continue;
        running.set(one, run(one, leave));
        return true;
      }
    return false;
  };

  return {
    /** Adds the listings that are due; returns how many were not waiting yet. */
    async fill() {
      const before = due.size;
      const handles = (await readDue(context)).map((handle) => ({ handle, at: spread(handle) }));
      for (const { handle } of handles.toSorted((a, b) => (a.at < b.at ? -1 : 1)))
        if (!due.has(handle)) due.set(handle, { handle, notBefore_ms: 0 });
      dueListings.publish({ listings: due.size });
      return due.size - before;
    },
    /** Adds a listing before all that are due; false while too many were asked for. */
    ask({ handle, root }: AskedCheck): boolean {
      if (asked.has(handle)) return true;
      const ofRoot = [...asked.values()].filter((one) => one.root === root);
      if (asked.size >= mostAsked || ofRoot.length >= mostAskedOfRoot) return false;
      asked.set(handle, { handle, root, notBefore_ms: 0 });
      news.resolve();
      return true;
    },
    /** Begins what may begin, and waits until more may. */
    async step() {
      news = Promise.withResolvers();
      while (running.size < places && !signal.aborted && (await beginNext()));
      if (signal.aborted) return;
      const tick = setTimeout(news.resolve, tick_ms);
      await news.promise;
      clearTimeout(tick);
    },
    /** How many listings wait or are checked. */
    size: () => due.size + asked.size,
    counts: () => counts,
    /** Waits until the checks under way have ended. */
    end: async () => void (await Promise.all(running.values())),
  };
}

/**
 * Looks at every listing that is due, but for those of the shipped sample, and waits for those that other processes are
 * looking at. Killed at any time, the next call goes on with those that are still due.
 */
export async function observeDue(
  observer: Observer,
  context: ObserverContext,
  options: Parameters<typeof createSchedule>[2],
): Promise<CheckCounts> {
  const schedule = createSchedule(observer, context, options);
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

/** The longest time until a node reads again which listings are due. */
const pauseLimit_ms = ({ observeInterval_s }: ObserverContext['config']) =>
  Math.min(longestPause_ms, (observeInterval_s * 1000) / fillsPerInterval);

/**
 * Looks at all listings every OBSERVE_INTERVAL, and at those that their maintainers ask for, until the signal. Never
 * throws; resolves once the current runs have ended. What is due is read again after 2 s, and after twice as long each
 * time that nothing new was, so that new listings are observed soon.
 */
export async function startObserving(
  context: ObserverContext & Pick<Context, 'askedChecks'>,
  signal: AbortSignal,
): Promise<void> {
  const { config, log, askedChecks } = context;
  const observer = createObserver(context, signal);
  const schedule = createSchedule(observer, context, { signal });
  askedChecks.add = schedule.ask;
  log.info(`observing: every listing is looked at about every ${config.observeInterval_s} s`);
  let [fill_ms, filled_ms] = [0, performance.now()];
  await every({
    signal,
    pause_ms: shortestPause_ms,
    async run() {
      if (performance.now() - filled_ms >= fill_ms) {
        const isMore = (await schedule.fill()) > 0;
        const longer_ms = Math.min(pauseLimit_ms(config), Math.max(fill_ms * 2, shortestPause_ms));
        fill_ms = isMore ? shortestPause_ms : longer_ms;
        filled_ms = performance.now();
      }
      await schedule.step();
      return 0;
    },
    onError: (err) => log.warn({ err }, 'what is due could not be read; it is tried again'),
  });
  delete askedChecks.add;
  await schedule.end();
}
