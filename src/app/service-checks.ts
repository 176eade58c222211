import { setTimeout as wait } from 'node:timers/promises';
import { vantageOf } from '../config/config.ts';
import type { Timeouts } from '../config/timeouts.ts';
import { toModuleUrl } from '../core/process.ts';
import type { Listing } from '../listings/listing.ts';
import { type Checks, createChecks } from '../observations/checks.ts';
import { storeEnded } from '../observations/observe-listing.ts';
import { createObserver, type ObserverContext } from '../observations/observer.ts';
import type { Lease } from '../store/store.ts';
import { measure } from '../telemetry/events.ts';
import { type End, type Ended, type Running, startThread, type Thread } from './observer-thread.ts';

/** Workers that end for no check's sake are started again after 1 s, and after twice as long each time. */
const firstPause_ms = 1000;
const longestPause_ms = 60_000;
/** A check that ran each time when workers ended so is ended too. */
const mostLost = 3;
const longestNews_ms = 1000;

/** Resolves once this thread has heard that a listing has changed, so that its caches show that. */
function untilHeard(handle: string, { store }: Pick<ObserverContext, 'store'>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.onChange((changed) => {
    if (changed === 'all' || changed.includes(handle)) resolve();
  });
  return {
    wait: () => Promise.race([promise, wait(longestNews_ms, undefined, { ref: false })]),
    [Symbol.dispose]: stop,
  };
}

/** Why the check of a listing was ended, as its facts say it. */
const reasons = {
  silent: ({ observerSilence_ms }: Timeouts) =>
    `The check was ended, because what was sent to Dossier took more than ${observerSilence_ms / 1000} s to read or store.`,
  memory: () =>
    'The check was ended, because the memory that Dossier has for checks was used up while it read or stored what was sent for this one.',
  error: () =>
    'The check was ended, because Dossier’s observer failed while it read or stored what was sent for this one.',
  lost: () => `The check was ended, because Dossier’s observer failed ${mostLost} times while it ran.`,
} as const;

/**
 * Creates checks that one worker thread runs, over its own connection and in a heap of its own (OBSERVE_MEMORY); it starts with the
 * first check. A worker that answers nobody for 20 s, or fails, ends nothing else: another one starts, the check that it was working
 * for counts as made, and says why it was ended, and the others that ran are due again. The leases of checks are held here, so that
 * no other node begins a check meanwhile. `module` is what the thread runs.
 */
function createThreadChecks(context: ObserverContext, signal: AbortSignal, module: URL): Checks {
  const { store, config, log, clock, timeouts } = context;
  const lost = new Map<string, number>();
  let failures = 0;
  let thread: Promise<Thread> | undefined;

  /** Why a check does not run again; undefined if it does. */
  const whyEnded = (handle: string, isInHand: boolean, { cause, inHand }: End) => {
    if (isInHand) return reasons[cause](timeouts);
    // Nobody's work ended it: what ran each time may have.
    if (inHand === 0) lost.set(handle, (lost.get(handle) ?? 0) + 1);
    return (lost.get(handle) ?? 0) >= mostLost ? reasons.lost() : undefined;
  };
  const settle = async ({ listing, lease, ended }: Running, reason: string | undefined): Promise<void> => {
    if (reason === undefined || signal.aborted) return ended.resolve('interrupted');
    lost.delete(listing.handle);
    measure('dossier_observer_checks_total', { outcome: 'ended' });
    const stamp = { at: clock().toISOString(), vantage: vantageOf(config) };
    const stored = storeEnded(listing, reason, { store, stamp, lease });
    await stored.then(({ changes }) => ended.resolve({ changes, wasEnded: true }), ended.reject);
  };
  const onEnd = async (end: End): Promise<void> => {
    const { cause, error: err, holder, running, inHand } = end;
    thread = undefined;
    failures = inHand === 0 ? failures + 1 : 0;
    measure('dossier_observer_hosts_held', {}, 0);
    if (!signal.aborted) {
      const handle = running.get(inHand)?.listing.handle;
      log.error({ err, cause, handle }, 'the thread that checks listings has ended; another one starts');
    }
    if (holder !== undefined) await store.leases.releaseOf(holder).catch(() => undefined); // else they expire
    await Promise.all(
      Array.from(running, ([id, one]) => settle(one, whyEnded(one.listing.handle, id === inHand, end))),
    );
  };
  const start = async (): Promise<Thread> => {
    try {
      const pause_ms = failures === 0 ? 0 : Math.min(longestPause_ms, firstPause_ms * 2 ** (failures - 1));
      await wait(pause_ms, undefined, { signal });
      return startThread(context, module, onEnd);
    } catch (error) {
      thread = undefined;
      throw error;
    }
  };
  const run = async (listing: Listing, lease: Lease): Promise<Ended> => {
    thread ??= start();
    const started = await thread;
    if (!(await started.begun)) return 'interrupted';
    using news = untilHeard(listing.handle, context);
    const ended = await started.check(listing, lease);
    if (ended === 'interrupted') return ended;
    failures = 0;
    lost.delete(listing.handle);
    await news.wait();
    return ended;
  };
  const { observeIfDue, pausedUntil } = createChecks(context, signal, run);
  return {
    observeIfDue,
    pausedUntil,
    close: async () => (await thread?.catch(() => undefined))?.stop(),
  };
}

/** Creates the checks of a service, in a thread of their own. An in-memory database cannot be shared between threads. */
export const createServiceChecks = (
  context: ObserverContext,
  signal: AbortSignal,
  module = toModuleUrl('./observer-worker', import.meta.url),
): Checks =>
  context.config.databaseUrl === ':memory:'
    ? createObserver(context, signal)
    : createThreadChecks(context, signal, module);
