import { AsyncLocalStorage } from 'node:async_hooks';
import { promiseHooks } from 'node:v8';

/** Shared with the thread that watches the worker. */
export type WorkerStatus = Int32Array<SharedArrayBuffer>;

const heartbeat = 0;
const currentTask = 1;

export const createWorkerStatus = (): WorkerStatus => new Int32Array(new SharedArrayBuffer(8));

/** Grows while the worker's event loop runs. */
export const heartbeatOf = (status: WorkerStatus): number => Atomics.load(status, heartbeat);

export const currentTaskOf = (status: WorkerStatus): number => Atomics.load(status, currentTask);

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
