import type { Context } from '../../context.ts';
import type { StoreFigures } from '../../observability/instruments.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { toReportsPage } from '../../views/operator/reports-page.ts';
import { toListenError } from './listen-error.ts';

async function readStoreFigures({ store }: Pick<Context, 'store'>): Promise<StoreFigures> {
  const { done } = await store.imports.last();
  const audit = await store.audits.last();
  const last_look_at = await store.observations.lastLookAt();
  return {
    listings: await store.listings.count(),
    ...(await store.figures.counts()),
    ...(last_look_at && { lastLookAt_ms: Date.parse(last_look_at) }),
    ...(audit?.finished_at && {
      lastAudit: { ...audit, finishedAt_ms: Date.parse(audit.finished_at) },
    }),
    ...(done?.finished_at && {
      lastImport: { finishedAt_ms: Date.parse(done.finished_at), counts: done.progress.counts },
    }),
  };
}

const shownReports = 200;

async function readReports({ store: { feedback } }: Pick<Context, 'store'>): Promise<string> {
  const open = { state: 'open', kind: 'report' } as const;
  return toReportsPage(await feedback.list(open, shownReports), await feedback.count(open));
}

/** Starts the metrics listener where METRICS_PORT is set; its module is loaded only then. Throws ExitError. */
export async function startServiceMetrics(
  context: Pick<Context, 'config' | 'store' | 'log'>,
): Promise<Metrics | undefined> {
  const { metricsListener, operatorToken: token } = context.config;
  if (!metricsListener) return undefined;
  const { startMetrics } = await import('../../observability/metrics.ts');
  const metrics = await startMetrics(metricsListener, {
    readStoreFigures: () => readStoreFigures(context),
    ...(token && { reports: { token, read: () => readReports(context) } }),
  }).catch((error: unknown) => {
    throw toListenError(error, { setting: 'METRICS_PORT', ...metricsListener });
  });
  context.log.info({ url: metrics.url }, 'metrics');
  return metrics;
}
