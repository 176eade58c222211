import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { requireBackupDir, startBackups } from '../../backups/schedule.ts';
import { startRecheck } from '../../claims/recheck.ts';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import type { Context } from '../../context.ts';
import { startPurge } from '../../limits/purge.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { startImports } from '../../registry/schedule.ts';
import { importInThread } from '../../registry/worker.ts';
import { listen, openContext, type Running } from '../../server.ts';
import { startJudgingViews } from '../../tools/support/judge-views.ts';
import { startAudits } from '../../transparency-log/audit/schedule.ts';
import { requireCheckpointFolder } from '../../transparency-log/checkpoint-file.ts';
import { openLogSeed } from '../../transparency-log/keys.ts';
import { startAskingWitnesses } from '../../transparency-log/witnesses/schedule.ts';
import { startWebhooks } from '../../webhooks/schedule.ts';
import { toListenError } from './listen-error.ts';
import { startServiceMetrics } from './metrics.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;
/** For what runs in the background to end after the last request. */
const shortestEnd_ms = 1000;

/** The address listened on, and the public one if it differs. */
const toAddresses = ({ url, context: { config } }: Running) =>
  config.publicUrl === url ? url : `${url} as ${config.publicUrl}`;

/** Observes where OBSERVE is on; the modules are loaded only then. Either way one line of the log says so. */
async function observe(context: Context, signal: AbortSignal): Promise<void> {
  if (!context.config.isObserving)
    return context.log.info(
      'not observing: no recorded endpoint, package or repository is checked (OBSERVE is off)',
    );
  const { startObserving } = await import('../../observer/schedule/schedule.ts');
  return startObserving(context, signal);
}

/** Stops a start whose checkpoints could not be saved: no proof could be given later. Throws ExitError (78). */
async function requireCheckpoints(config: Config): Promise<void> {
  await requireCheckpointFolder(config).catch((error: unknown) => {
    throw new ExitError(
      exitCodes.configuration,
      `CHECKPOINT_FILE: its folder cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}

/** Ends the process with its exit code, whatever still has a socket: a connection to a slow host, a name being resolved. */
const endProcess = () => void setTimeout(() => process.exit(), 250).unref();

/** Runs the service until SIGTERM or SIGINT. It listens first, then imports in the background; at the end it drains, in `drain_ms`, and ends the process. */
export async function runServe(config: Config): Promise<void> {
  await requireBackupDir(config);
  const context = await openContext(config, 'make');
  const stopping = new AbortController();
  let stopped_ms = performance.now();
  const stopped = Promise.race(signals.map((signal) => once(process, signal)));
  let metrics: Metrics | undefined;
  let background: readonly Promise<void>[] = [];
  try {
    await requireCheckpoints(config);
    metrics = await startServiceMetrics(context);
    // Made now, so that every backup has it: one made before would restore to a log with another key.
    await openLogSeed(context).catch((err: unknown) => context.log.warn({ err }, 'the log has no key yet'));
    const running = await listen(context).catch((error: unknown) => {
      throw toListenError(error, { setting: 'PORT', port: config.port, host: config.host });
    });
    process.stdout.write(`listening on ${toAddresses(running)}\n`);
    const imports = startImports(running.context, stopping.signal, importInThread);
    const purging = startPurge(running.context, stopping.signal);
    const audits = startAudits(running.context, stopping.signal);
    const observing = observe(running.context, stopping.signal);
    const backups = startBackups(running.context, stopping.signal);
    const webhooks = startWebhooks(running.context, stopping.signal);
    const witnesses = startAskingWitnesses(running.context, stopping.signal);
    const judging = startJudgingViews(running.context, stopping.signal);
    const rechecks = startRecheck(running.context, stopping.signal);
    background = [imports, purging, audits, observing, backups, webhooks, witnesses, judging, rechecks];
    await stopped;
    context.log.info('stopping');
    stopped_ms = performance.now();
    stopping.abort();
    await running.stop();
  } finally {
    stopping.abort();
    const ending = Promise.all([metrics?.stop(), ...background]).then(() => context.store.close());
    const left_ms = Math.max(shortestEnd_ms, context.timeouts.drain_ms - (performance.now() - stopped_ms));
    const isEnded = await Promise.race([ending.then(() => true), wait(left_ms, false)]);
    if (!isEnded) context.log.warn('what runs in the background did not end in time, and is cut off');
    endProcess();
  }
}
