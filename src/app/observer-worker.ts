import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createRepositoryReader } from '../net/git.ts';
import { createObserver } from '../observations/observer.ts';
import { createLog } from '../telemetry/logger.ts';
import { onMeasured } from '../telemetry/metrics.ts';
import { type FromWorker, type ToWorker, trackTasks, type WorkerData } from './observer-thread.ts';
import { openStore } from './open.ts';

// On Linux, the thread that answers requests goes first if both share a core.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const { config, timeouts, status, beat_ms } = workerData as WorkerData;
const runTask = trackTasks(status, beat_ms);
const store = await openStore(config);
const stopping = new AbortController();
const observer = createObserver(
  {
    store,
    config,
    timeouts,
    log: await createLog(config),
    clock: () => new Date(),
    repositories: createRepositoryReader(config.repositoryHosts, undefined, config.dnsServers),
  },
  stopping.signal,
);
const post = (message: FromWorker) => parentPort?.postMessage(message);

async function stop(): Promise<void> {
  stopping.abort();
  await observer.close();
  await store.close();
  // Open sockets would keep the thread alive.
  process.exit();
}

onMeasured((measured) => {
  if (measured.name.startsWith('dossier_observer_')) post({ measured });
});
parentPort?.on('message', (message: ToWorker) => {
  if (message === 'stop') return void stop();
  const { id, handle, lease } = message;
  const check = async () => {
    const listing = await store.listings.byHandle(handle);
    return !listing || listing.withdrawn ? 0 : (await observer.run(listing, lease)).changes;
  };
  void runTask(id, check).then(
    (changes) => post({ id, changes }),
    (error: unknown) => post({ id, error }),
  );
});
post({ holder: store.leases.holder });
