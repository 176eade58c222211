import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createRepositoryReader } from '../net/repositories.ts';
import { createObserver } from '../observations/observer.ts';
import { onMeasured } from '../telemetry/events.ts';
import { createLog } from '../telemetry/logger.ts';
import { startNoting } from './in-hand.ts';
import type { CheckAsked, FromWorker, ToWorker, WorkerData } from './observer-thread.ts';
import { openStore } from './open.ts';

// Runs checks of listings over its own connection until it is told to stop; observer-thread.ts says which, and watches it.

// Lower this thread's priority (per-thread on Linux) so that requests win when both share a core.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { config, timeouts, notes, beat_ms } = workerData as WorkerData;
const workFor = startNoting(notes, beat_ms);
const store = await openStore(config);
const stopping = new AbortController();
const observer = createObserver(
  {
    ...{ store, config, timeouts, log: await createLog(config), clock: () => new Date() },
    repositories: createRepositoryReader(config.repositoryHosts, undefined, config.dnsServers),
  },
  stopping.signal,
);
const post = (message: FromWorker) => parentPort?.postMessage(message);

async function check({ handle, lease }: CheckAsked): Promise<number> {
  const listing = await store.listings.byHandle(handle);
  return !listing || listing.withdrawn ? 0 : (await observer.run(listing, lease)).changes;
}

async function stop(): Promise<void> {
  stopping.abort();
  await observer.close();
  await store.close();
  // Sockets to hosts would keep it for longer.
  process.exit();
}

onMeasured((measured) => {
  if (measured.name.startsWith('dossier_observer_')) post({ measured });
});
parentPort?.on('message', (message: ToWorker) => {
  if (message === 'stop') return void stop();
  const { id } = message;
  void workFor(id, () => check(message)).then(
    (changes) => post({ id, changes }),
    (error: unknown) => post({ id, error }),
  );
});
post({ holder: store.leases.holder });
