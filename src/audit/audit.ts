import { setTimeout as sleep } from 'node:timers/promises';
import { every } from '../core/every.ts';
import { day_ms } from '../core/text.ts';
import type { LogContext } from '../log/checkpoints.ts';
import {
  type AuditState,
  createAuditState,
  findListingFaults,
  indexesOf,
  noteShown,
} from './check-listing.ts';
import { createEntryCheck } from './check-log.ts';
import { createTreeCheck, type KnownRoot, readKnownRoot } from './check-tree.ts';
import type { AuditedLog, EntryRecord, EvidenceReader } from './evidence-reader.ts';
import { type AuditFault, logFault } from './fault.ts';
import { type StepWatch, takeSteps } from './steps.ts';
import { createStoredEvidence } from './stored.ts';

interface AuditWatch extends StepWatch {
  readonly onProgress?: (progress: {
    readonly part: 'listings' | 'entries';
    readonly done: number;
    readonly total?: number;
  }) => void;
}

/** The number of entries of a full tile (C2SP tlog-tiles). A service gives out a tile in one answer. */
const batchEntries = 256;

const sizeOf = (logs: readonly AuditedLog[]) => logs.reduce((sum, { size }) => sum + size, 0);

async function readRecords(reader: EvidenceReader, indexes: readonly number[], { rest }: AuditWatch) {
  const records = new Map<number, EntryRecord>();
  for (let at = 0; at < indexes.length; at += batchEntries) {
    for (const [index, record] of await reader.records(indexes.slice(at, at + batchEntries)))
      records.set(index, record);
    await rest?.();
  }
  return records;
}

async function readFaults(
  reader: EvidenceReader,
  handle: string,
  rest: StepWatch['rest'],
  watch: AuditWatch,
) {
  const faults: AuditFault[] = [];
  const listing = await reader.listing(handle, rest);
  if (!listing) return { listing, faults };
  const records = await readRecords(reader, indexesOf(listing), watch);
  const onFault = (fault: AuditFault) => void faults.push(fault);
  await takeSteps(findListingFaults(listing, records), { ...watch, onFault });
  return { listing, faults };
}

/**
 * If a listing has faults, it is read again, at most twice, because it may have changed between two requests.
 * Its pages are then read without rests, so that less can change meanwhile.
 */
async function checkListing(reader: EvidenceReader, handle: string, watch: AuditWatch) {
  for (const rest of [watch.rest, undefined]) {
    const found = await readFaults(reader, handle, rest, watch);
    if (found.faults.length === 0) return found;
  }
  return readFaults(reader, handle, undefined, watch);
}

async function auditListings(reader: EvidenceReader, state: AuditState, watch: AuditWatch): Promise<number> {
  let listings = 0;
  for await (const handle of reader.handles()) {
    const { listing, faults } = await checkListing(reader, handle, watch);
    for (const fault of faults) watch.onFault(fault);
    if (listing) await takeSteps(noteShown(listing, state), watch);
    else state.unshownListings.add(handle);
    listings += 1;
    watch.onProgress?.({ part: 'listings', done: listings });
    await watch.rest?.();
  }
  return listings;
}

const toGap = (from: number, wanted: number, found: number) =>
  logFault(
    `entries ${from} to ${from + wanted - 1}`,
    `${wanted - found} of these ${wanted} leaves are missing, so the rest of this log cannot be checked`,
  );

async function auditLog(
  reader: EvidenceReader,
  log: AuditedLog,
  roots: readonly KnownRoot[],
  check: ReturnType<typeof createEntryCheck>,
  watch: AuditWatch,
  total: number,
): Promise<void> {
  const tree = createTreeCheck(reader, log, roots);
  for (let from = 0; from < log.size; from += batchEntries) {
    const wanted = Math.min(batchEntries, log.size - from);
    const leaves = await reader.leaves(log, from, wanted);
    if (leaves.length !== wanted) return watch.onFault(toGap(log.base + from, wanted, leaves.length));
    const records = await reader.records(leaves.map((_, at) => log.base + from + at));
    for (const [at, leaf] of leaves.entries()) {
      const log_index = log.base + from + at;
      for (const fault of check.check(log_index, leaf, records.get(log_index) ?? 'absent'))
        watch.onFault(fault);
    }
    for (const fault of await tree.add(leaves)) watch.onFault(fault);
    watch.onProgress?.({ part: 'entries', done: log.base + from + leaves.length, total });
    await watch.rest?.();
  }
  for (const fault of tree.finish()) watch.onFault(fault);
}

function readOwnRoot({ id, checkpoint, key }: AuditedLog): (KnownRoot | AuditFault)[] {
  if (checkpoint === undefined) return [];
  const where = `checkpoint of log ${id}`;
  const root = readKnownRoot(checkpoint, { where, key });
  if ('root' in root && root.log !== id) return [logFault(where, `it is a checkpoint of log ${root.log}`)];
  return 'root' in root && !key
    ? [logFault(where, 'its signature cannot be checked, because the key of the log is unknown')]
    : [root];
}

function readRoots(
  logs: readonly AuditedLog[],
  kept: readonly (KnownRoot | AuditFault)[],
  watch: AuditWatch,
) {
  const usable = kept.map((root) =>
    'message' in root || logs.some(({ id }) => id === root.log)
      ? root
      : logFault(
          root.where,
          `it is a checkpoint of log ${root.log}, and the audited service or database has no such log`,
        ),
  );
  return [...logs.flatMap(readOwnRoot), ...usable].filter((root): root is KnownRoot => {
    if ('message' in root) watch.onFault(root);
    return 'root' in root;
  });
}

/**
 * Compares what a reader shows with the transparency log, in both directions (docs/log.md). `kept` has the
 * roots of checkpoints that the caller saved, and a fault for each saved checkpoint that is unusable.
 * `not_checked` names the facts that were not checked. Throws any error of the reader.
 */
export async function audit(
  reader: EvidenceReader,
  kept: readonly (KnownRoot | AuditFault)[],
  watcher: AuditWatch,
) {
  let faults = 0;
  const watch: AuditWatch = {
    ...watcher,
    onFault(fault) {
      faults += 1;
      watcher.onFault(fault);
    },
  };
  const state = createAuditState(sizeOf(await reader.logs()));
  const listings = await auditListings(reader, state, watch);
  const logs = await reader.logs();
  const roots = readRoots(logs, kept, watch);
  const check = createEntryCheck(state);
  for (const log of logs) await auditLog(reader, log, roots, check, watch, sizeOf(logs));
  const not_checked = await takeSteps(check.finish(), watch);
  const entries = sizeOf(logs);
  if (entries > 0 && roots.length === 0)
    not_checked.push('the tree as a whole: there is no checkpoint to compare it with');
  return { entries, listings, faults, not_checked };
}

const interval_ms = day_ms;
const longestSleep_ms = 600_000;
/** The audit rests this many times as long as each piece of work took, so that requests are served first. */
const restPerWork = 3;
const mostLogged = 20;

/** The returned function rejects once the signal is aborted. */
function createRest(signal: AbortSignal): () => Promise<void> {
  let since_ms = performance.now();
  return async () => {
    await sleep((performance.now() - since_ms) * restPerWork, undefined, { signal, ref: false });
    since_ms = performance.now();
  };
}

function runAudit(context: LogContext, signal: AbortSignal) {
  let logged = 0;
  return audit(createStoredEvidence(context), [], {
    rest: createRest(signal),
    onFault({ where, message, next }) {
      logged += 1;
      if (logged <= mostLogged)
        context.log.error({ where, next }, `the audit found a fault: ${where}: ${message}`);
    },
  });
}

/**
 * Audits the database once, unless another node is doing so. Rejects if the database cannot be read, or if
 * the audit is aborted.
 */
export async function auditOnce(context: LogContext, signal: AbortSignal): Promise<void> {
  const { store, log, clock } = context;
  await using lease = await store.leases.take('audit');
  if (!lease) return;
  const { entries, faults } = await runAudit(context, AbortSignal.any([signal, lease.signal]));
  const finished_at = clock().toISOString();
  await store.write((tx) => tx.audits.put({ finished_at, entries, faults }));
  if (faults === 0) log.info({ entries }, 'audit: what is shown agrees with the transparency log');
  else log.error({ entries, faults }, 'audit: faults were found; run dossier audit to see all of them');
}

/**
 * Returns the time until the next audit is due, but at most ten minutes. An audit is due a day after the end
 * of the last audit of any node.
 */
async function untilDue_ms({ store, clock }: LogContext): Promise<number> {
  const last = await store.audits.last();
  const due_ms = last ? Date.parse(last.finished_at) + interval_ms - clock().getTime() : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

/**
 * Audits the database at once and then daily, until the signal aborts. Only one node audits at a time. Never
 * rejects.
 */
export async function startAudits(context: LogContext, signal: AbortSignal): Promise<void> {
  let isFirst = true;
  await every({
    signal,
    pause_ms: longestSleep_ms,
    async run() {
      const isDue = isFirst || (await untilDue_ms(context)) === 0;
      isFirst = false;
      if (isDue) await auditOnce(context, signal);
      return (await untilDue_ms(context)) || longestSleep_ms;
    },
    onError: (err) =>
      context.log.warn(
        { err },
        'the audit did not finish; the next attempt is made in ten minutes, or later if no audit is due then',
      ),
  });
}
