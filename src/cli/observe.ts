import { openContext } from '../app/server.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../context.ts';
import { ExitError, endProcess, ioError, usageError } from '../core/process.ts';
import { counted, isWebAddress } from '../core/text.ts';
import { toText, Words } from '../core/words.ts';
import type { Listing } from '../listings/listing.ts';
import type { StoredObservation } from '../observations/known/observation.ts';
import type { DatedFinding } from '../observations/known/recording.ts';
import { createObserver, type Observer } from '../observations/observer.ts';
import { observeDue } from '../observations/schedule.ts';
import { createBar, print } from './shell.ts';

const columns = ['kind', 'outcome', 'value', 'reason'] as const;

/** Without what only later checks need. */
function toPrinted(found: StoredObservation | DatedFinding) {
  const { why = [], recorded: _, ...one } = found;
  const { rule: _1, by: _2, open: _3, whole: _4, packed: _5, ...read } = one as DatedFinding;
  const { tally: _6, checks: _7, last_known: _8, missed, ...shown } = read as StoredObservation;
  return {
    ...shown,
    ...(why.length > 0 && { reason: toText(new Words(why)) }),
    ...(missed && { missed_since: missed.since }),
  };
}

const toCell = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

function toTable(observations: readonly ReturnType<typeof toPrinted>[]): string {
  const rows = [
    columns,
    ...observations.map((one) => columns.map((column) => toCell(one[column] ?? '').slice(0, 60))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

async function findListed(handle: string, { store }: Pick<Context, 'store'>): Promise<Listing> {
  const listing = await store.listings.byHandle(handle);
  if (listing && !listing.withdrawn) return listing;
  const { near } = await store.listings.near(handle, 3);
  const hint =
    near.length > 0
      ? `; did you mean ${near.join(', ')}?`
      : '; find handles with search_agents or on /agents';
  throw usageError(`no listing has the handle ${handle}${hint}`);
}

function printFacts(name: string, found: readonly (StoredObservation | DatedFinding)[], json = false): void {
  const observations = found.map(toPrinted);
  const lines = json
    ? observations.map((one) => JSON.stringify({ handle: name, ...one })).join('\n')
    : `${name}\n${toTable(observations)}\n`;
  print(lines);
}

interface ObserveCommand {
  readonly observer: Observer;
  readonly context: Context;
  readonly signal: AbortSignal;
  readonly json: boolean | undefined;
}

/** Stored only for a listing. */
async function observeOne(one: string | Listing, { observer, json }: ObserveCommand): Promise<void> {
  if (typeof one === 'string') return printFacts(one, await observer.inspect(one), json);
  const { observations } = await observer.observe(one, () =>
    process.stderr.write(`another process observes ${one.handle}; waiting until it has ended\n`),
  );
  printFacts(one.handle, observations, json);
}

async function observeNamed(names: readonly string[], observing: ObserveCommand): Promise<void> {
  const { context, signal } = observing;
  const listings = await Promise.all(
    names.map((name) => (isWebAddress(name) ? name : findListed(name, context))),
  );
  const failed: string[] = [];
  for (const one of listings)
    try {
      await observeOne(one, observing);
    } catch (error) {
      if (signal.aborted || error instanceof ExitError) throw error;
      const name = typeof one === 'string' ? one : one.handle;
      context.log.error({ err: error, handle: name }, 'a check failed');
      failed.push(name);
    }
  if (failed.length === 0) return;
  const checks = failed.length === 1 ? 'the check' : 'the checks';
  throw ioError(`${checks} of ${failed.join(', ')} failed on our side; the log says why`);
}

async function observeAll(observer: Observer, context: Context, signal: AbortSignal): Promise<void> {
  const total = await context.store.listings.count();
  const form = '{bar} {value} of at most {total} listings | {changed} changed | {duration_formatted}';
  using bar = createBar(form);
  bar.show(0, total, { changed: 0 });
  const counts = await observeDue(observer, context, {
    signal,
    onProgress: ({ observed, changed, failed }) => bar.show(observed + failed, total, { changed }),
  });
  bar[Symbol.dispose]();
  print(
    `observed ${counted(counts.observed, 'listing')} that ${counts.observed === 1 ? 'was' : 'were'} due, ${counts.changed} changed, ${counts.failed} failed on our side`,
  );
  if (counts.observed === 0 && counts.failed > 0)
    throw ioError('every check failed on our side; the log says why');
}

/** SIGTERM and Ctrl-C drop running checks, and end with 130 if listings were named. */
export async function runObserve(
  config: Config,
  handles: readonly string[],
  { json }: { readonly json?: boolean },
): Promise<void> {
  const context = await openContext({
    ...config,
    logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = () => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const observer = createObserver(context, signal);
  try {
    if (handles.length > 0) await observeNamed(handles, { observer, context, signal, json });
    else await observeAll(observer, context, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof ExitError) throw error;
    process.exitCode = 130;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    await context.store.close();
    if (signal.aborted) endProcess();
  }
}
