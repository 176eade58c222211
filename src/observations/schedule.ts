import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AskedCheck, Context } from '../context.ts';
import { handleParts } from '../core/handle.ts';
import { registrableDomain } from '../core/identity.ts';
import { isSample, type Listing } from '../listings/listing.ts';
import { dueListings } from '../telemetry/events.ts';
import type { LookReport } from './observe-listing.ts';
import { createObserver, type Observer, type ObserverContext } from './observer.ts';
import type { LastLook } from './table.ts';

/** What became of the checks so far. */
export interface CheckCounts {
  readonly looked: number;
  readonly changed: number;
  readonly failed: number;
}

/** How checks are watched and stopped. */
export interface ScheduleOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (counts: CheckCounts) => void;
}

const page = 500;
/** Checks of this process that run at the same time. */
const places = 32;
/** Of these, of one domain, one namespace, or asked for by one control root. */
const placesOfOne = 2;
/** Checks that were asked for and have not ended: of all, and of one control root. */
const mostAsked = 64;
const mostAskedOfRoot = 8;
/** How long a listing that another process checks waits for its next try. */
const leasedPause_ms = 2000;
const tick_ms = 250;

/** Listings of one import stand together; this order mixes them. */
const spread = (handle: string) => createHash('sha256').update(handle).digest('base64');

/** When a listing is due: the interval (+-10 %) after its last look, or at once if its record changed since. */
export function dueAt_ms(handle: string, { observed_at, due_since }: LastLook, interval_s: number): number {
  if (observed_at === undefined || due_since !== undefined) return 0;
  const share = createHash('sha256').update(`${handle}\n${observed_at}`).digest().readUInt16BE(0) / 65_535;
  return Date.parse(observed_at) + interval_s * 1000 * (0.9 + 0.2 * share);
}

async function readDue({ store, config, clock }: ObserverContext): Promise<string[]> {
  const due: string[] = [];
  for (let after: number | undefined = -1; after !== undefined; ) {
    const looks: Awaited<ReturnType<typeof store.observations.looks>> = await store.observations.looks(
      after,
      page,
    );
    for (const { handle, origin, ...last } of looks)
      if (!isSample({ origin }) && dueAt_ms(handle, last, config.observeInterval_s) <= clock().getTime())
        due.push(handle);
    after = looks.length === page ? looks.at(-1)?.id : undefined;
  }
  return due;
}

/** Whether no other node has looked at a listing meanwhile. */
async function isStillDue(handle: string, { store, config, clock }: ObserverContext): Promise<boolean> {
  const known = (await store.observations.ofListing(handle)) ?? { observed_at: undefined };
  return dueAt_ms(handle, known, config.observeInterval_s) <= clock().getTime();
}

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

/** Counts the places that running checks take, by key. */
function createPlaces() {
  const taken = new Map<string, number>();
  const add = (key: string, by: 1 | -1) => {
    const count = (taken.get(key) ?? 0) + by;
    if (count === 0) taken.delete(key);
    else taken.set(key, count);
  };
  return {
    areFree: (keys: readonly string[]) => keys.every((key) => (taken.get(key) ?? 0) < placesOfOne),
    /** Takes a place of each key until the function that it returns is called. */
    take(keys: readonly string[]): () => void {
      for (const key of keys) add(key, 1);
      return () => {
        for (const key of keys) add(key, -1);
      };
    },
  };
}

/** A look at a listing; or when its turn comes again (ms since 1970); undefined if nothing is to be done. */
async function check(
  one: Waiting,
  observer: Observer,
  context: ObserverContext,
): Promise<LookReport | number | undefined> {
  const { store, clock } = context;
  const listing = await store.listings.byHandle(one.handle);
  if (!listing || listing.withdrawn) return undefined;
  const isAsked = one.root !== undefined;
  const pause = isAsked || one.wasTried ? undefined : await observer.pausedUntil(listing);
  // Once: a host that always asks to wait does not keep its listings from being looked at.
  one.wasTried = true;
  if (pause !== undefined) return Date.parse(pause);
  const isDue = async () => isAsked || isStillDue(one.handle, context);
  const report = await observer.observeIfDue(listing, isDue);
  if (report === 'leased') return clock().getTime() + leasedPause_ms;
  return report === 'not_due' ? undefined : report;
}

/** The checks of one process: which listings wait, and which may begin. */
export interface Schedule {
  /** Adds the listings that are due; returns how many were not waiting yet. */
  fill(): Promise<number>;
  /** Adds a listing before all that are due; false while too many were asked for. */
  ask(asked: AskedCheck): boolean;
  /** Begins what may begin, and waits until more may. */
  step(): Promise<void>;
  /** How many listings wait or are checked. */
  size(): number;
  counts(): CheckCounts;
  /** Waits until the checks under way have ended. */
  end(): Promise<void>;
}

/** Creates the schedule of an observer. A check that fails is logged, counted, and stops no other. */
export function createSchedule(
  observer: Observer,
  context: ObserverContext,
  { signal, onProgress }: ScheduleOptions,
): Schedule {
  const { store, clock, log } = context;
  const due = new Map<string, Waiting>();
  const asked = new Map<string, Waiting>();
  const running = new Map<Waiting, Promise<void>>();
  const taken = createPlaces();
  let counts: CheckCounts = { looked: 0, changed: 0, failed: 0 };
  let news = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => news.resolve(), { once: true });
  const add = (more: Partial<CheckCounts>) => {
    const { looked = 0, changed = 0, failed = 0 } = more;
    counts = {
      looked: counts.looked + looked,
      changed: counts.changed + changed,
      failed: counts.failed + failed,
    };
  };
  const remove = ({ handle, root }: Waiting) => (root === undefined ? due : asked).delete(handle);
  const fail = (error: unknown, { handle }: Waiting) => {
    if (signal.aborted) return;
    log.warn({ err: error, handle }, 'a look failed');
    add({ failed: 1 });
  };

  const run = async (one: Waiting): Promise<void> => {
    const leave = taken.take(one.keys ?? []);
    const ended = await check(one, observer, context).catch((error: unknown) => fail(error, one));
    leave();
    running.delete(one);
    if (typeof ended === 'number') one.notBefore_ms = ended;
    else remove(one);
    if (typeof ended === 'object') add({ looked: 1, changed: ended.changes > 0 ? 1 : 0 });
    dueListings.publish({ listings: due.size });
    onProgress?.(counts);
    news.resolve();
  };

  /** The first that may begin now. */
  const findNext = async (): Promise<Waiting | undefined> => {
    for (const waiting of [asked, due])
      for (const one of waiting.values()) {
        if (running.has(one) || one.notBefore_ms > clock().getTime()) continue;
        if (!one.keys) {
          const listing = await store.listings.byHandle(one.handle);
          if (listing) one.keys = keysOf(listing, one.root);
          else remove(one);
        }
        if (one.keys && taken.areFree(one.keys)) return one;
      }
    return undefined;
  };

  return {
    async fill() {
      const before = due.size;
      const handles = (await readDue(context)).map((handle) => ({ handle, at: spread(handle) }));
      for (const { handle } of handles.toSorted((a, b) => (a.at < b.at ? -1 : 1)))
        if (!due.has(handle)) due.set(handle, { handle, notBefore_ms: 0 });
      dueListings.publish({ listings: due.size });
      return due.size - before;
    },
    ask({ handle, root }) {
      if (asked.has(handle)) return true;
      const ofRoot = [...asked.values()].filter((one) => one.root === root);
      if (asked.size >= mostAsked || ofRoot.length >= mostAskedOfRoot) return false;
      asked.set(handle, { handle, root, notBefore_ms: 0 });
      news.resolve();
      return true;
    },
    async step() {
      news = Promise.withResolvers();
      while (running.size < places && !signal.aborted) {
        const next = await findNext();
        if (!next) break;
        running.set(next, run(next));
      }
      if (signal.aborted) return;
      const tick = setTimeout(news.resolve, tick_ms);
      await news.promise;
      clearTimeout(tick);
    },
    size: () => due.size + asked.size,
    counts: () => counts,
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
  options: ScheduleOptions,
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
 * throws; resolves once the current looks have ended. What is due is read again after 2 s, and after twice as long each
 * time that nothing new was, so that new listings are looked at soon.
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
  for (let [pause_ms, filled_ms] = [0, performance.now()]; !signal.aborted; ) {
    try {
      if (performance.now() - filled_ms >= pause_ms) {
        const isMore = (await schedule.fill()) > 0;
        pause_ms = isMore
          ? shortestPause_ms
          : Math.min(pauseLimit_ms(config), Math.max(pause_ms * 2, shortestPause_ms));
        filled_ms = performance.now();
      }
      await schedule.step();
    } catch (error) {
      if (signal.aborted) break;
      log.warn({ err: error }, 'what is due could not be read; it is tried again');
      await wait(shortestPause_ms, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
  delete askedChecks.add;
  await schedule.end();
  await observer.close().catch(() => undefined);
}
