import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks, setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { Timeouts } from '../config/timeouts.ts';
import type { Listing } from '../listings/listing.ts';
import type { CheckReport, HeldLease } from '../observations/checks.ts';
import type { ObserverContext } from '../observations/observer.ts';
import type { Lease } from '../store/store.ts';
import { type Measured, measure } from '../telemetry/events.ts';

/** Shared with the thread that watches the worker. */
type WorkerStatus = Int32Array<SharedArrayBuffer>;

const heartbeat = 0;
const currentTask = 1;

const createWorkerStatus = (): WorkerStatus => new Int32Array(new SharedArrayBuffer(8));

/** Grows while the worker's event loop runs. */
const heartbeatOf = (status: WorkerStatus): number => Atomics.load(status, heartbeat);

const currentTaskOf = (status: WorkerStatus): number => Atomics.load(status, currentTask);

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
  let beats = heartbeatOf(status);
  let seen: number[] = [];
  const look = () => {
    const now = heartbeatOf(status);
    seen = now === beats ? [...seen, currentTaskOf(status)] : [];
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
  const status = createWorkerStatus();
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
    await onExit({ cause, error, holder, running, currentCheck: silentIn ?? currentTaskOf(status) });
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
