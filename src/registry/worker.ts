import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ImportOnce, importOnce, type Outcome } from './schedule.ts';

/**
 * Imports in a thread of its own, which ends with the run: readers wait for none of its transactions. A database in
 * memory is this thread's only. Throws where the thread fails.
 */
export const importInThread: ImportOnce = async (context, signal) => {
  const { config } = context;
  if (config.databaseUrl === ':memory:') return importOnce(context, signal);
  let outcome: Outcome = { state: 'running' };
  const thread = new Worker(new URL('./worker-main.ts', import.meta.url), { workerData: config });
  thread.on('message', (said: Outcome) => {
    outcome = said;
  });
  const stop = () => thread.postMessage('stop');
  signal.addEventListener('abort', stop);
  try {
    await once(thread, 'exit');
    return outcome;
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
