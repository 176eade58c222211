import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../support/database.ts';
import { askClaim, createClaimContext } from './directory.ts';

const { database, git } = workerData as { database: string; git: string };
const store = await openDatabase(database);
let now = new Date(0);
const context = createClaimContext(git, { store, clock: () => now });
parentPort?.on('message', async (time: string) => {
  now = new Date(time);
  parentPort?.postMessage(await askClaim(context));
});
parentPort?.postMessage('ready');
