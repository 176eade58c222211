import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { createLog } from '../observability/logger.ts';
import { openStore } from '../store/open.ts';
import { importOnce } from './schedule.ts';

// The thread that import-thread.ts starts: one import, over a connection of its own. Any message stops it.
// Whoever asks goes first where there is one processor for both: on Linux this is the priority of this thread alone.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const config = workerData as Config;
const stopping = new AbortController();
parentPort?.once('message', () => stopping.abort());
const store = await openStore(config);
try {
  const context = { store, config, log: createLog(config), clock: () => new Date() };
  parentPort?.postMessage(await importOnce(context, stopping.signal));
} finally {
  await store.close();
  parentPort?.close();
}
