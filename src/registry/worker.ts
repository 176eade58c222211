import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { toModuleUrl } from '../config/own-module.ts';
import { type ImportOnce, importOnce, type Outcome } from './import-once.ts';
import type { ImportThread } from './worker-main.ts';

/**
 * Runs one import in a worker thread, so that no reader waits for its transactions. An in-memory database cannot be
 * shared between threads and is imported into here. Throws if the thread fails.
 */
export const importInThread: ImportOnce = async (context, attempt) => {
  const { config } = context;
  if (config.databaseUrl === ':memory:') return importOnce(context, attempt);
  let outcome: Outcome = { state: 'running' };
  const workerData = { config, dueAfter: attempt.dueAfter } satisfies ImportThread;
  const thread = new Worker(toModuleUrl('./worker-main', import.meta.url), { workerData });
  thread.on('message', (message: Outcome) => {
    outcome = message;
  });
  const stop = () => thread.postMessage('stop');
  attempt.signal.addEventListener('abort', stop);
  if (attempt.signal.aborted) stop();
  try {
    await once(thread, 'exit');
    return outcome;
  } finally {
    attempt.signal.removeEventListener('abort', stop);
  }
};
