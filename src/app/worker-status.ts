import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

/**
 * Memory that a worker thread shares with the thread that watches it: a heartbeat and the id of the current
 * task.
 */
export type WorkerStatus = Int32Array<SharedArrayBuffer>;

const heartbeat = 0;
const currentTask = 1;

export const createWorkerStatus = (): WorkerStatus => new Int32Array(new SharedArrayBuffer(8));

/** A counter that grows as long as the worker's event loop turns. */
export const heartbeatOf = (status: WorkerStatus): number => Atomics.load(status, heartbeat);

/** The id of the task whose code runs in the worker now, or 0. */
export const currentTaskOf = (status: WorkerStatus): number => Atomics.load(status, currentTask);

/**
 * Keeps the status of this thread up to date from now on. Returns a function that runs a task under an id
 * above 0: the status has that id while code of the task runs, also after each `await`, however tasks
 * interleave.
 */
export function trackTasks(status: WorkerStatus, beat_ms: number) {
  const taskId = new AsyncLocalStorage<number>();
  promiseHooks.createHook({
    before: () => void Atomics.store(status, currentTask, taskId.getStore() ?? 0),
    after: () => void Atomics.store(status, currentTask, 0),
  });
  setInterval(() => Atomics.add(status, heartbeat, 1), beat_ms).unref();
  return <T>(id: number, task: () => Promise<T>): Promise<T> => taskId.run(id, task);
}
