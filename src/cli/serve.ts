import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { importInThread, startImports } from '../app/import-schedule.ts';
import { openOwnEvidence } from '../app/own-evidence.ts';
import { startPurge } from '../app/purge.ts';
import { listen, openContext } from '../app/server.ts';
import { startReadingViews } from '../app/views-file.ts';
import { startAudits } from '../audit/audit.ts';
import { startRecheck } from '../claims/checks/recheck.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { toProblem } from '../core/problem.ts';
import { endProcess, settingsError } from '../core/process.ts';
import { toProblemAnswer } from '../http/problems.ts';
import { requireCheckpointFolder } from '../log/checkpoint-file.ts';
import { startIssuing } from '../log/witnesses.ts';
import { startJudgingSelections } from '../selections/judging.ts';
import { startReadingPrivate } from '../selections/members.ts';
import type { Metrics, StoreFigures } from '../telemetry/metrics.ts';
import { toReportsPage } from '../views/pages.ts';
import { startWebhooks } from '../webhooks/deliver.ts';
import { requireBackupDir, startBackups } from './backup/backup.ts';

export function toListenError(
  error: unknown,
  setting: 'PORT' | 'METRICS_PORT',
  { port, host }: Pick<Config, 'port' | 'host'>,
): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const say = (what: string) => settingsError(what);
  if (code === 'EADDRINUSE') return say(`${setting}: ${port} is in use; set another, or 0 to pick one`);
  if (['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    return say(`${setting === 'PORT' ? 'HOST' : setting}: ${host} is not an address of this machine`);
  if (code === 'EACCES') return say(`${setting}: ${port} may not be used by this user`);
  return error;
}

const toSeconds = (time: string | undefined) => (time ? Date.parse(time) / 1000 : undefined);

async function readStoreFigures({ store }: Pick<Context, 'store'>): Promise<StoreFigures> {
  const { done } = await store.imports.last();
  const audit = await store.audits.last();
  const { claims, ...counts } = await store.figures.counts();
  return {
    gauges: {
      dossier_listings: await store.listings.count(),
      dossier_ratings: counts.ratings,
      dossier_feedback_open: counts.open_feedback,
      dossier_reports_open: counts.open_reports,
      dossier_opt_outs_contested: counts.contested_opt_outs,
      dossier_observer_last_check_timestamp_seconds: toSeconds(await store.observations.lastRunAt()),
      dossier_audit_last_finished_timestamp_seconds: toSeconds(audit?.finished_at),
      dossier_audit_entries: audit?.entries,
      dossier_audit_faults: audit?.faults,
      dossier_import_last_success_timestamp_seconds: toSeconds(done?.finished_at),
    },
    claims,
    imported: done?.progress.counts ?? {},
  };
}

const shownReports = 200;

/** Loads its module only with METRICS_PORT. */
export async function startServiceMetrics(
  context: Pick<Context, 'config' | 'store' | 'log'>,
): Promise<Metrics | undefined> {
  const { metricsListener, operatorToken: token } = context.config;
  if (!metricsListener) return undefined;
  const { startMetrics } = await import('../telemetry/metrics.ts');
  const { feedback } = context.store;
  const open = { state: 'open', kind: 'report' } as const;
  const read = async () => toReportsPage(await feedback.list(open, shownReports), await feedback.count(open));
  const metrics = await startMetrics(metricsListener, {
    readStoreFigures: () => readStoreFigures(context),
    ...(token && { reports: { token, read } }),
    toFailed: (error) => toProblemAnswer(toProblem(error, context), context.config.publicUrl),
  }).catch((error: unknown) => {
    throw toListenError(error, 'METRICS_PORT', metricsListener);
  });
  context.log.info({ url: metrics.url }, 'metrics');
  return metrics;
}

const signals = ['SIGTERM', 'SIGINT'] as const;
/** For background work, after the last request. */
const shortestEnd_ms = 1000;

async function observe(context: Context, signal: AbortSignal): Promise<void> {
  if (context.config.observe === 'off')
    return context.log.info(
      'not observing: no recorded endpoint, package or repository is checked (OBSERVE is off)',
    );
  const { startObserving } = await import('../observations/schedule.ts');
  const { createServiceChecks } = await import('../app/observer-thread.ts');
  return startObserving(context, signal, createServiceChecks(context, signal));
}

export async function runServe(config: Config): Promise<void> {
  await requireBackupDir(config);
  await requireCheckpointFolder(config);
  const context = await openContext(config, 'make');
  const stopping = new AbortController();
  let stopped_ms = performance.now();
  const stopped = Promise.race(signals.map((signal) => once(process, signal)));
  let metrics: Metrics | undefined;
  let background: readonly Promise<void>[] = [];
  try {
    metrics = await startServiceMetrics(context);
    const running = await listen(context).catch((error: unknown) => {
      throw toListenError(error, 'PORT', config);
    });
    const { publicUrl } = running.context.config;
    process.stdout.write(
      `listening on ${running.url}${publicUrl === running.url ? '' : ` as ${publicUrl}`}\n`,
    );
    const audits = (own: Context, signal: AbortSignal) => startAudits(own, openOwnEvidence, signal);
    const jobs = [startPurge, audits, observe, startBackups, startWebhooks, startReadingPrivate];
    const later = [startIssuing, startReadingViews, startJudgingSelections, startRecheck];
    background = [
      startImports(running.context, stopping.signal, importInThread),
      ...[...jobs, ...later].map((start) => start(running.context, stopping.signal)),
    ];
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
    if (!isEnded) context.log.warn('background work did not end in time, and is cut off');
    endProcess();
  }
}
