import { once } from 'node:events';
import { startRecheck } from '../claims/recheck.ts';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../config/exit.ts';
import type { Context } from '../context.ts';
import { startForgetting } from '../limits/forget.ts';
import type { Metrics } from '../observability/metrics.ts';
import { startImports } from '../registry/schedule.ts';
import { importInThread } from '../registry/worker.ts';
import { listen, openContext, type Running } from '../server.ts';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** What keeps a listener of a setting from listening, in one line that says what to set. */
function toListenError(error: unknown, { setting, port, host }: Listener): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const say = (what: string) => new ExitError(exitCodes.configuration, what);
  if (code === 'EADDRINUSE') return say(`${setting}: ${port} is in use; set another, or 0 to pick one`);
  if (['EADDRNOTAVAIL', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code ?? ''))
    return say(`${setting === 'PORT' ? 'HOST' : setting}: ${host} is not an address of this machine`);
  if (code === 'EACCES') return say(`${setting}: ${port} may not be used by this user`);
  return error;
}

interface Listener {
  readonly setting: 'PORT' | 'METRICS_PORT';
  readonly port: number;
  readonly host: string;
}

/** Where it listens, and the public address where that is another. */
const toAddresses = ({ url, context: { config } }: Running) =>
  config.PUBLIC_URL === url ? url : `${url} as ${config.PUBLIC_URL}`;

/** Measures where METRICS_PORT says so; only then it is loaded. */
async function measure(context: Context): Promise<Metrics | undefined> {
  const { METRICS_PORT } = context.config;
  if (!METRICS_PORT) return undefined;
  const { startMetrics } = await import('../observability/metrics.ts');
  const metrics = await startMetrics(context).catch((error: unknown) => {
    throw toListenError(error, { setting: 'METRICS_PORT', ...METRICS_PORT });
  });
  if (metrics) context.log.info({ url: metrics.url }, 'metrics');
  return metrics;
}

/** Runs the service until SIGTERM or SIGINT: answers first, then imports in the background, then drains. */
export async function runServe(config: Config): Promise<void> {
  const context = await openContext(config);
  const stopping = new AbortController();
  const told = Promise.race(signals.map((signal) => once(process, signal)));
  let metrics: Metrics | undefined;
  let background: readonly (() => Promise<void>)[] = [];
  try {
    metrics = await measure(context);
    const running = await listen(context).catch((error: unknown) => {
      throw toListenError(error, { setting: 'PORT', port: config.PORT, host: config.HOST });
    });
    process.stdout.write(`listening on ${toAddresses(running)}\n`);
    const imports = startImports(running.context, stopping.signal, importInThread);
    const forgetting = startForgetting(running.context, stopping.signal);
    background = [startRecheck(running.context), () => imports, () => forgetting];
    await told;
    context.log.info('stopping');
    stopping.abort();
    await running.stop();
  } finally {
    stopping.abort();
    await Promise.all([metrics?.stop(), ...background.map((end) => end())]);
    await context.store.close();
  }
}
