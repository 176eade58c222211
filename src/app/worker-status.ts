import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

/** A worker thread shares this memory with the thread that watches it. */
export type WorkerStatus = Int32Array<SharedArrayBuffer>;

const heartbeat = 0;
const currentTask = 1;

export const createWorkerStatus = (): WorkerStatus => new Int32Array(new SharedArrayBuffer(8));

/** The counter grows as long as the worker's event loop runs. */
export const heartbeatOf = (status: WorkerStatus): number => Atomics.load(status, heartbeat);

/** Returns 0 while no known task runs in the worker. */
export const currentTaskOf = (status: WorkerStatus): number => Atomics.load(status, currentTask);

/**
 * Keeps the status of this thread up to date from now on. The status has the id of a task, which must be
 * above 0, while the task's own code runs, before or after an `await`. In callbacks of timers and streams, it
 * is 0.
 */
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
