import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { Timeouts } from '../config/timeouts.ts';
import type { Listing } from '../listings/listing.ts';
import type { CheckReport, HeldLease } from '../observations/checks.ts';
import type { ObserverContext } from '../observations/observer.ts';
import type { Lease } from '../store/store.ts';
import { type Measured, measure } from '../telemetry/events.ts';
import { beatsOf, createNotes, inHandOf, type SharedNotes } from './in-hand.ts';

export type Thread = ReturnType<typeof startThread>;

/** What the worker starts with. */
export interface WorkerData {
  readonly config: Config;
  readonly timeouts: Timeouts;
  readonly notes: SharedNotes;
  readonly beat_ms: number;
}

/** A check that the worker is to run, under a lease of this thread. */
export interface CheckAsked {
  readonly id: number;
  readonly handle: string;
  readonly lease: HeldLease;
}

export type ToWorker = CheckAsked | 'stop';

/** That it began, with the holder of its leases; how a check ended; what it measured. */
export type FromWorker =
  | { readonly holder: string }
  | { readonly id: number; readonly changes: number }
  | { readonly id: number; readonly error: unknown }
  | { readonly measured: Measured };

/** What comes of a check that was handed to the worker. */
export type Ended = CheckReport | 'interrupted';

/** A check that the worker runs. */
export interface Running {
  readonly listing: Listing;
  readonly lease: Lease;
  readonly ended: PromiseWithResolvers<Ended>;
}

/** Why a worker ended. `silent`: it answered nobody for too long. */
type Cause = 'silent' | 'memory' | 'error';

/** What is known when a worker has ended. */
export interface End {
  readonly cause: Cause;
  readonly error: unknown;
  /** Of its leases; undefined if it ended before it had begun. */
  readonly holder: string | undefined;
  readonly running: ReadonlyMap<number, Running>;
  /** The check that it was working for; 0 for none. */
  readonly inHand: number;
}

/** How often a worker is looked at before it counts as silent: a machine that was suspended looks once. */
const looks = 20;

/** Creates a worker whose heap has the limit of the setting; a flag of the process would count more. */
function createWorker(module: URL, workerData: WorkerData): Worker {
  const flags = process.execArgv.join(' ');
  const ofProcess_mb = /--max[-_]old[-_]space[-_]size[= ](\d+)/.exec(flags)?.[1] ?? '0';
  setFlagsFromString('--max-old-space-size=0');
  const restore = () => setFlagsFromString(`--max-old-space-size=${ofProcess_mb}`);
  const resourceLimits = { maxOldGenerationSizeMb: workerData.config.observeMemory_mb };
  return new Worker(module, { workerData, resourceLimits }).once('online', restore).once('exit', restore);
}

const countOf = (value: number, values: readonly number[]) => values.filter((one) => one === value).length;
const mostFrequent = (values: readonly number[]) =>
  values.reduce((most, one) => (countOf(one, values) > countOf(most, values) ? one : most));

/** Calls back once if a worker that has begun does not answer for some time, with what it was mostly working for. Returns a function that stops it. */
function watchSilence(notes: SharedNotes, look_ms: number, onSilent: (inHand: number) => void) {
  let beats = beatsOf(notes);
  let seen: number[] = [];
  const look = () => {
    const now = beatsOf(notes);
    seen = now === beats ? [...seen, inHandOf(notes)] : [];
    beats = now;
    if (seen.length < looks) return;
    clearInterval(timer);
    onSilent(mostFrequent(seen));
  };
  const timer = setInterval(look, look_ms).unref();
  return () => clearInterval(timer);
}

/** Starts a worker, watches it, and calls back when it has ended. */
export function startThread(
  { config, timeouts }: Pick<ObserverContext, 'config' | 'timeouts'>,
  module: URL,
  onEnd: (end: End) => Promise<void>,
) {
  const notes = createNotes();
  const look_ms = timeouts.observerSilence_ms / looks;
  const worker = createWorker(module, { config, timeouts, notes, beat_ms: look_ms / 2 });
  const running = new Map<number, Running>();
  const begun = Promise.withResolvers<boolean>();
  let made = 0;
  let isOver = false;
  let holder: string | undefined;
  let cause: Cause = 'error';
  let error: unknown;
  let silentIn: number | undefined;
  let stopWatching = () => {};
  const begin = (ofWorker: string) => {
    holder = ofWorker;
    // Before, it loads modules.
    stopWatching = watchSilence(notes, look_ms, (inHand) => {
      cause = 'silent';
      silentIn = inHand;
      void worker.terminate();
    });
    begun.resolve(true);
  };
  const settle = (id: number, by: (ended: Running['ended']) => void) => {
    const one = running.get(id);
    running.delete(id);
    if (one) by(one.ended);
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
    await onEnd({ cause, error, holder, running, inHand: silentIn ?? inHandOf(notes) });
    begun.resolve(false);
  });
  return {
    /** Whether it has begun; false if it ended before. */
    begun: begun.promise,
    async check(listing: Listing, lease: Lease): Promise<Ended> {
      if (isOver) return 'interrupted';
      made += 1;
      const one: Running = { listing, lease, ended: Promise.withResolvers() };
      running.set(made, one);
      const { name, owner } = lease;
      worker.postMessage({ id: made, handle: listing.handle, lease: { name, owner } } satisfies ToWorker);
      return one.ended.promise;
    },
    /** Lets it end, and ends it if it does not in time. */
    async stop() {
      worker.postMessage('stop' satisfies ToWorker);
      const terminate = setTimeout(() => void worker.terminate(), timeouts.observerEnd_ms);
      await ended;
      clearTimeout(terminate);
    },
  };
}
