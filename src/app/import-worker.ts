import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { type Attempt, importOnce } from '../imports/import-once.ts';
import { createLog } from '../telemetry/logger.ts';
import { openStore } from './open.ts';

// Runs one import over its own connection, posts its ImportOutcome and ends. Any message stops it after the
// current page.

// Lower this thread's priority (per-thread on Linux) so that requests win when both share a core.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { config, dueAfter } = workerData as Pick<Attempt, 'dueAfter'> & { readonly config: Config };
const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
const store = await openStore(config);
try {
  const context = { store, config, log: await createLog(config), clock: () => new Date() };
  parentPort?.postMessage(await importOnce(context, { signal: stopping.signal, dueAfter }));
} finally {
  await store.close();
  parentPort?.close();
}
