import { openContext } from '../app/server.ts';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes } from '../core/process.ts';
import { type ImportResult, runImport } from '../imports/import.ts';
import { isUnreadable, RegistryError } from '../imports/import-run.ts';
import { readPrivateEntries } from '../selections/entries.ts';
import { createBar } from './shell.ts';

export interface ImportOptions {
  readonly from?: string;
  readonly acceptChanges?: boolean;
  readonly full?: boolean;
}

const barForm =
  '{bar} {value} rows | {rows_new} new | {rows_changed} changed | {rows_quarantined} quarantined | {duration_formatted}';

const reportLines = ({ counts, kind, isResumed }: ImportResult, seconds: number): string =>
  [
    `${kind} import${isResumed ? ', resumed' : ''}: ${seconds.toFixed(1)} s, ${Math.round(counts.rows_seen / seconds)} rows a second`,
    ...Object.entries(counts).map(([name, count]) => `  ${name.replaceAll('_', ' ').padEnd(22)} ${count}`),
    '',
  ].join('\n');

async function runToEnd(
  config: Config,
  { from: source, acceptChanges, full: isFull }: ImportOptions,
  signal: AbortSignal,
): Promise<ImportResult> {
  const logLevel = config.logLevel === 'info' ? 'warn' : config.logLevel;
  const context = await openContext({ ...config, logLevel }, 'make');
  await using _ = context.store;
  using bar = createBar(barForm);
  try {
    return await runImport(context, {
      source,
      acceptChanges,
      isFull,
      signal,
      patience: { tries: 3 },
      // An unknown total grows with the rows.
      onProgress: ({ counts, total = counts.rows_seen + 100 }) => bar.show(counts.rows_seen, total, counts),
    });
  } catch (error) {
    throw error instanceof RegistryError
      ? new ExitError(exitCodes.upstreamUnavailable, `${source}: ${error.message}`)
      : error;
  }
}

async function reportPrivate({ privateListings }: Config): Promise<void> {
  if (!privateListings) return;
  const { entries, faults } = await readPrivateEntries(privateListings);
  process.stdout.write(`private entries: ${entries?.size ?? 0} read, ${faults.length} not\n`);
  for (const fault of faults) process.stderr.write(`PRIVATE_LISTINGS: ${fault}\n`);
}

/** Ctrl-C stops between two pages, with 130 as shells do; the next import continues. */
export async function runImportCommand(config: Config, options: ImportOptions): Promise<void> {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  const start = performance.now();
  const from = options.from ?? config.registryUrl;
  const report = await runToEnd(config, { ...options, from }, stopping.signal);
  process.stdout.write(reportLines(report, (performance.now() - start) / 1000));
  await reportPrivate(config);
  const code = isUnreadable(report.counts) ? exitCodes.data : exitCodes.upstreamUnavailable;
  if (report.error) throw new ExitError(code, `${from}: ${report.error}`);
  if (report.state !== 'running') return;
  process.stdout.write('stopped; the next import continues from here\n');
  process.exitCode = 130;
}
