import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { promiseHooks, setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type Config, vantageOf } from '../config/config.ts';
import type { Timeouts } from '../config/timeouts.ts';
import { toModuleUrl } from '../core/process.ts';
import { own, say, type Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import {
  type CheckReport,
  type Checks,
  createChecks,
  type HeldLease,
  storeEnded,
} from '../observations/observe-listing.ts';
import { createObserver, type ObserverContext } from '../observations/observer.ts';
import type { Lease } from '../store/store.ts';
import { type Measured, measure } from '../telemetry/metrics.ts';

/** Shared with the thread that watches the worker. */
type WorkerStatus = Int32Array<SharedArrayBuffer>;

/** Grows while the worker's event loop runs. */
const heartbeat = 0;
const currentTask = 1;

/** A task's id is set while its code runs, but not in callbacks of timers and streams. */
export function trackTasks(status: WorkerStatus, beat_ms: number) {
  const taskId = new AsyncLocalStorage<number>();
  promiseHooks.createHook({
    before: () => void Atomics.store(status, currentTask, taskId.getStore() ?? 0),
    after: () => void Atomics.store(status, currentTask, 0),
  });
  setInterval(() => Atomics.add(status, heartbeat, 1), beat_ms).unref();
  return <T>(id: number, task: () => Promise<T>): Promise<T> =>
    taskId.run(id, () => {
      const outer = Atomics.exchange(status, currentTask, id);
      try {
        return task();
      } finally {
        Atomics.store(status, currentTask, outer);
      }
    });
}

export type ObserverThread = ReturnType<typeof startObserverThread>;

export interface WorkerData {
  readonly config: Config;
  readonly timeouts: Timeouts;
  readonly status: WorkerStatus;
  readonly beat_ms: number;
}

export interface CheckRequest {
  readonly id: number;
  readonly handle: string;
  readonly lease: HeldLease;
}

export type ToWorker = CheckRequest | 'stop';

/** `holder`, sent once the worker is ready, is the id under which it takes leases. */
export type FromWorker =
  | { readonly holder: string }
  | { readonly id: number; readonly changes: number }
  | { readonly id: number; readonly error: unknown }
  | { readonly measured: Measured };

/** `interrupted`: the worker ended first, so the check has to run again. */
export type CheckOutcome = CheckReport | 'interrupted';

export interface RunningCheck {
  readonly listing: Listing;
  readonly lease: Lease;
  readonly outcome: PromiseWithResolvers<CheckOutcome>;
}

/** `silent`: its event loop stood still for too long. */
type ExitCause = 'silent' | 'memory' | 'error';

export interface WorkerExit {
  readonly cause: ExitCause;
  readonly error: unknown;
  readonly holder: string | undefined;
  readonly running: ReadonlyMap<number, RunningCheck>;
  /** Or 0. */
  readonly currentCheck: number;
}

/** So many looks in a row without a beat: a long pause of the machine is no silence. */
const looks = 20;

/** --max-old-space-size of the process would override OBSERVE_MEMORY. */
function createWorker(module: URL, workerData: WorkerData): Worker {
  const flags = process.execArgv.join(' ');
  const ofProcess_mb = /--max[-_]old[-_]space[-_]size[= ](\d+)/.exec(flags)?.[1] ?? '0';
  setFlagsFromString('--max-old-space-size=0');
  const restore = () => setFlagsFromString(`--max-old-space-size=${ofProcess_mb}`);
  const resourceLimits = { maxOldGenerationSizeMb: workerData.config.observeMemory_mb };
  return new Worker(module, { workerData, resourceLimits }).once('online', restore).once('exit', restore);
}

const countOfChecks = (value: number, values: readonly number[]) =>
  values.filter((one) => one === value).length;
const mostFrequent = (values: readonly number[]) =>
  values.reduce((most, one) => (countOfChecks(one, values) > countOfChecks(most, values) ? one : most));

/** With the check whose code ran most often meanwhile. */
function watchSilence(status: WorkerStatus, look_ms: number, onSilent: (currentCheck: number) => void) {
  let beats = Atomics.load(status, heartbeat);
  let seen: number[] = [];
  const look = () => {
    const now = Atomics.load(status, heartbeat);
    seen = now === beats ? [...seen, Atomics.load(status, currentTask)] : [];
    beats = now;
    if (seen.length < looks) return;
    clearInterval(timer);
    onSilent(mostFrequent(seen));
  };
  const timer = setInterval(look, look_ms).unref();
  return () => clearInterval(timer);
}

export function startObserverThread(
  { config, timeouts }: Pick<ObserverContext, 'config' | 'timeouts'>,
  module: URL,
  onExit: (exit: WorkerExit) => Promise<void>,
) {
  const status: WorkerStatus = new Int32Array(new SharedArrayBuffer(8));
  const look_ms = timeouts.observerSilence_ms / looks;
  const worker = createWorker(module, { config, timeouts, status, beat_ms: look_ms / 2 });
  const running = new Map<number, RunningCheck>();
  const begun = Promise.withResolvers<boolean>();
  let made = 0;
  let isOver = false;
  let holder: string | undefined;
  let cause: ExitCause = 'error';
  let error: unknown;
  let silentIn: number | undefined;
  let stopWatching = () => {};
  const begin = (ofWorker: string) => {
    holder = ofWorker;
    // Not earlier, because loading modules blocks the worker.
    stopWatching = watchSilence(status, look_ms, (currentCheck) => {
      cause = 'silent';
      silentIn = currentCheck;
      void worker.terminate();
    });
    begun.resolve(true);
  };
  const settle = (id: number, by: (outcome: RunningCheck['outcome']) => void) => {
    const one = running.get(id);
    running.delete(id);
    if (one) by(one.outcome);
  };
  worker.on('message', (message: FromWorker) => {
    if ('measured' in message)
      measure(message.measured.name, message.measured.labels, message.measured.value);
    else if ('changes' in message) settle(message.id, ({ resolve }) => resolve({ changes: message.changes }));
    else if ('error' in message) settle(message.id, ({ reject }) => reject(message.error));
    else begin(message.holder);
  });
  worker.on('error', (thrown: NodeJS.ErrnoException) => {
    error = thrown;
    if (thrown.code === 'ERR_WORKER_OUT_OF_MEMORY') cause = 'memory';
  });
  const exit = new Promise((resolve) => worker.once('exit', resolve));
  const ended = exit.then(async () => {
    isOver = true;
    stopWatching();
    const currentCheck = silentIn ?? Atomics.load(status, currentTask);
    await onExit({ cause, error, holder, running, currentCheck });
    begun.resolve(false);
  });
  return {
    /** False if the worker ended before it was ready. */
    begun: begun.promise,
    async check(listing: Listing, lease: Lease): Promise<CheckOutcome> {
      if (isOver) return 'interrupted';
      made += 1;
      const one: RunningCheck = { listing, lease, outcome: Promise.withResolvers() };
      running.set(made, one);
      const { name, owner } = lease;
      worker.postMessage({ id: made, handle: listing.handle, lease: { name, owner } } satisfies ToWorker);
      return one.outcome.promise;
    },
    /** Terminates the worker after `observerEnd_ms`. */
    async stop() {
      worker.postMessage('stop' satisfies ToWorker);
      const terminate = setTimeout(() => void worker.terminate(), timeouts.observerEnd_ms);
      await ended;
      clearTimeout(terminate);
    },
  };
}

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
