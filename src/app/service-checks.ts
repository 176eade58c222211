import { setTimeout as wait } from 'node:timers/promises';
import { vantageOf } from '../config/config.ts';
import type { Timeouts } from '../config/timeouts.ts';
import { toModuleUrl } from '../core/process.ts';
import { own, say, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import { type Checks, createChecks } from '../observations/checks.ts';
import { storeEnded } from '../observations/observe-listing.ts';
import { createObserver, type ObserverContext } from '../observations/observer.ts';
import type { Lease } from '../store/store.ts';
import { measure } from '../telemetry/events.ts';
import {
  type CheckOutcome,
  type ObserverThread,
  type RunningCheck,
  startObserverThread,
  type WorkerExit,
} from './observer-thread.ts';

/** Before a new worker, doubled for each that ended in a row while no check's code ran. */
const firstPause_ms = 1000;
const longestPause_ms = 60_000;
/** A check is given up after so many such ends. */
const mostLost = 3;
const longestNews_ms = 1000;

/** At most 1 s, until this thread's caches have dropped the old state. */
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

const reasons = {
  silent: ({ observerSilence_ms }: Timeouts) =>
    say`Dossier stopped this check, because reading or storing the answers took more than ${observerSilence_ms / 1000} s.`,
  memory: () =>
    own(
      'Dossier stopped this check, because reading or storing the answers used up the memory that it has for checks.',
    ),
  error: () =>
    own('Dossier stopped this check, because its observer failed while reading or storing the answers.'),
  lost: () =>
    say`Dossier stopped this check, because its observer failed ${mostLost} times while the check ran.`,
} as const;

/**
 * With its own heap (OBSERVE_MEMORY). If the worker ends, the check whose code ran counts as made, with the
 * reason, and the others are due again. This thread holds the leases, so that no other node begins the same
 * checks.
 */
function createThreadChecks(context: ObserverContext, signal: AbortSignal, module: URL): Checks {
  const { store, config, log, clock, timeouts } = context;
  const lost = new Map<string, number>();
  let failures = 0;
  let thread: Promise<ObserverThread> | undefined;

  const whyEnded = (handle: string, isCurrent: boolean, { cause, currentCheck }: WorkerExit) => {
    if (isCurrent) return reasons[cause](timeouts);
    // Any of the running checks may be the cause.
    if (currentCheck === 0) lost.set(handle, (lost.get(handle) ?? 0) + 1);
    return (lost.get(handle) ?? 0) >= mostLost ? reasons.lost() : undefined;
  };
  const settle = async (
    { listing, lease, outcome }: RunningCheck,
    reason: Words | undefined,
  ): Promise<void> => {
    if (reason === undefined || signal.aborted) return outcome.resolve('interrupted');
    lost.delete(listing.handle);
    measure('dossier_observer_checks_total', { outcome: 'ended' });
    const stamp = { at: clock().toISOString(), vantage: vantageOf(config) };
    const stored = storeEnded(listing, reason, { store, stamp, lease });
    await stored.then(({ changes }) => outcome.resolve({ changes, wasEnded: true }), outcome.reject);
  };
  const onExit = async (exit: WorkerExit): Promise<void> => {
    const { cause, error: err, holder, running, currentCheck } = exit;
    thread = undefined;
    failures = currentCheck === 0 ? failures + 1 : 0;
    measure('dossier_observer_hosts_held', {}, 0);
    if (!signal.aborted) {
      const handle = running.get(currentCheck)?.listing.handle;
      log.error({ err, cause, handle }, 'the thread that checks listings has ended; another one starts');
    }
    // Leases expire by themselves, too.
    if (holder !== undefined) await store.leases.releaseOf(holder).catch(() => undefined);
    await Promise.all(
      Array.from(running, ([id, one]) =>
        settle(one, whyEnded(one.listing.handle, id === currentCheck, exit)),
      ),
    );
  };
  const start = async (): Promise<ObserverThread> => {
    try {
      const pause_ms = failures === 0 ? 0 : Math.min(longestPause_ms, firstPause_ms * 2 ** (failures - 1));
      await wait(pause_ms, undefined, { signal });
      return startObserverThread(context, module, onExit);
    } catch (error) {
      thread = undefined;
      throw error;
    }
  };
  const run = async (listing: Listing, lease: Lease): Promise<CheckOutcome> => {
    thread ??= start();
    const started = await thread;
    if (!(await started.begun)) return 'interrupted';
    using news = untilHeard(listing.handle, context);
    const outcome = await started.check(listing, lease);
    if (outcome === 'interrupted') return outcome;
    failures = 0;
    lost.delete(listing.handle);
    await news.wait();
    return outcome;
  };
  const { observeIfDue, pausedUntil } = createChecks(context, signal, run);
  return {
    observeIfDue,
    pausedUntil,
    close: async () => (await thread?.catch(() => undefined))?.stop(),
  };
}

/** Threads cannot share a database in memory. */
export const createServiceChecks = (
  context: ObserverContext,
  signal: AbortSignal,
  module = toModuleUrl('./observer-worker', import.meta.url),
): Checks =>
  context.config.databaseUrl === ':memory:'
    ? createObserver(context, signal)
    : createThreadChecks(context, signal, module);
