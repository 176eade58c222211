import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { type Attempt, importOnce } from '../imports/import-once.ts';
import { createLog } from '../telemetry/logger.ts';
import { openStore } from './open.ts';

// Any message stops the import after the current page.

// On Linux, the thread that answers requests goes first if both share a core.
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
