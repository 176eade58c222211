import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { every } from '../core/every.ts';
import { day_ms } from '../core/text.ts';
import { logOfOrigin } from '../log/checkpoints.ts';
import { createGrowingTree, type TreeHead, type TreeNode, tileWidth } from '../log/merkle.ts';
import { type NoteVerifier, openCheckpoint, readCheckpoint } from '../log/notes.ts';
import {
  type AuditState,
  createAuditState,
  findListingFaults,
  indexesOf,
  noteShown,
} from './check-listing.ts';
import { createEntryCheck } from './check-log.ts';
import { type AuditFault, logFault, type StepWatch, takeSteps } from './fault.ts';
import type { AuditedLog, EntryRecord, EvidenceReader } from './served.ts';

/** The tree must have had this root. */
export interface KnownRoot extends TreeHead {
  readonly where: string;
  readonly log: number;
}

/** Empty if the service states no loss. */
function statedLoss({ closedWith }: AuditedLog, found: number): string {
  const stated = closedWith === undefined ? undefined : readCheckpoint(closedWith);
  return stated && stated.size > found
    ? `. The service states this loss: /log has, as closed_with of this log, a checkpoint of ${stated.size} entries`
    : '';
}

const nameOfLog = ({ id }: AuditedLog) => (id === 1 ? 'log' : `log ${id}`);

async function findNodeFault(reader: EvidenceReader, log: AuditedLog, nodes: readonly TreeNode[]) {
  const [first] = nodes;
  if (!first) return [];
  const { level, position } = first;
  const stored = await reader.nodes(log, level, { from: position, limit: nodes.length });
  const wrong = nodes.find(({ hash }, at) => !stored[at]?.equals(hash));
  if (!wrong) return [];
  const message = 'the stored hash is not the one that follows from the leaves';
  return [logFault(`${nameOfLog(log)}, tree node ${wrong.position} of level ${level}`, message)];
}

function createTreeCheck(reader: EvidenceReader, log: AuditedLog, roots: readonly KnownRoot[]) {
  const tree = createGrowingTree();
  const open = new Set(roots.filter((known) => known.log === log.id));
  const compare = () => {
    const wrong: AuditFault[] = [];
    for (const known of open) {
      if (known.size !== tree.size()) continue;
      open.delete(known);
      const message = `the first ${known.size} entries of the ${nameOfLog(log)} have a different root: history was rewritten`;
      if (!tree.root().equals(known.root)) wrong.push(logFault(known.where, message));
    }
    return wrong;
  };
  const early = compare();
  return {
    /**
     * Leaves must come in order. Returns a fault for each known root, and for the first node of each level,
     * that differs.
     */
    async add(leaves: readonly string[]): Promise<AuditFault[]> {
      const faults = early.splice(0);
      const levels = new Map<number, TreeNode[]>();
      for (const leaf of leaves) {
        for (const node of tree.add(leaf))
          if (node.level % reader.levelStep === 0)
            levels.set(node.level, [...(levels.get(node.level) ?? []), node]);
        faults.push(...compare());
      }
      for (const nodes of levels.values()) faults.push(...(await findNodeFault(reader, log, nodes)));
      return faults;
    },
    /** After the last leaf: the faults that `add` did not return. */
    finish: (): AuditFault[] => [
      ...early,
      ...[...open].map(({ where, size }) =>
        logFault(
          where,
          `it covers ${size} entries, but the ${nameOfLog(log)} has only ${tree.size()}: entries were lost${statedLoss(log, tree.size())}`,
        ),
      ),
    ],
  };
}

/** A fault if it is unreadable or not signed by the key. Without a key, no signature is checked. */
export function readKnownRoot(
  text: string,
  { where, key }: { readonly where: string; readonly key?: NoteVerifier | undefined },
): KnownRoot | AuditFault {
  const checkpoint = readCheckpoint(text);
  if (!checkpoint) return logFault(where, 'it is not a checkpoint (C2SP tlog-checkpoint)');
  if (key && !openCheckpoint(text, key))
    return logFault(where, `it is not signed by the key of the log, ${key.name}`);
  return { where, log: logOfOrigin(checkpoint.origin), size: checkpoint.size, root: checkpoint.root };
}

interface AuditWatch extends StepWatch {
  readonly onProgress?: (progress: {
    readonly part: 'listings' | 'entries';
    readonly done: number;
    readonly total?: number;
  }) => void;
}

const sizeOf = (logs: readonly AuditedLog[]) => logs.reduce((sum, { size }) => sum + size, 0);

async function readRecords(reader: EvidenceReader, indexes: readonly number[], { rest }: AuditWatch) {
  const records = new Map<number, EntryRecord>();
  for (let at = 0; at < indexes.length; at += tileWidth) {
    for (const [index, record] of await reader.records(indexes.slice(at, at + tileWidth)))
      records.set(index, record);
    await rest?.();
  }
  return records;
}

const mostReadings = 3;

/** It is read again if it has faults, because it may have changed between two requests. */
async function readListing(reader: EvidenceReader, handle: string, watch: AuditWatch) {
  for (let reading = 1; ; reading += 1) {
    const faults: AuditFault[] = [];
    const listing = await reader.listing(handle);
    if (!listing) return { listing, faults };
    const records = await readRecords(reader, indexesOf(listing), watch);
    const onFault = (fault: AuditFault) => void faults.push(fault);
    await takeSteps(findListingFaults(listing, records), { ...watch, onFault });
    if (faults.length === 0 || reading === mostReadings) return { listing, faults };
  }
}

async function auditListings(
  reader: EvidenceReader,
  handles: AsyncIterable<string> | Iterable<string>,
  state: AuditState,
  watch: AuditWatch,
): Promise<number> {
  let listings = 0;
  for await (const handle of handles) {
    const { listing, faults } = await readListing(reader, handle, watch);
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

function createLogAudit(
  reader: EvidenceReader,
  check: ReturnType<typeof createEntryCheck>['check'],
  roots: readonly KnownRoot[],
  watch: AuditWatch,
) {
  const trees = new Map<number, { readonly tree: ReturnType<typeof createTreeCheck>; read: number }>();
  const read = async (log: AuditedLog, total: number): Promise<void> => {
    const known = trees.get(log.id) ?? { tree: createTreeCheck(reader, log, roots), read: 0 };
    trees.set(log.id, known);
    while (known.read < log.size) {
      const wanted = Math.min(tileWidth - (known.read % tileWidth), log.size - known.read);
      const first = log.base + known.read;
      const leaves = await reader.leaves(log, known.read, wanted);
      known.read = leaves.length === wanted ? known.read + wanted : Infinity;
      if (leaves.length !== wanted) return watch.onFault(toGap(first, wanted, leaves.length));
      const records = await reader.records(leaves.map((_, at) => first + at));
      for (const [at, leaf] of leaves.entries())
        for (const fault of check(first + at, leaf, records.get(first + at) ?? 'absent'))
          watch.onFault(fault);
      for (const fault of await known.tree.add(leaves)) watch.onFault(fault);
      watch.onProgress?.({ part: 'entries', done: first + leaves.length, total });
      await watch.rest?.();
    }
  };
  return {
    async readOn(logs: readonly AuditedLog[]): Promise<void> {
      for (const log of logs) await read(log, sizeOf(logs));
    },
    /** A log of which leaves are missing has no tree to compare. */
    finish(): void {
      for (const { tree, read: entries } of trees.values())
        if (entries !== Infinity) for (const fault of tree.finish()) watch.onFault(fault);
    },
  };
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

/** What changes between two readings this often is told as a fault. */
const mostComparisons = 10;

/**
 * In both directions (docs/log.md). `kept` has the roots and faults of saved checkpoints. Throws any error of
 * the reader.
 */
export async function audit(
  reader: EvidenceReader,
  kept: readonly (KnownRoot | AuditFault)[],
  watcher: AuditWatch,
) {
  let faults = 0;
  const watch: AuditWatch = {
    ...watcher,
    onFault({ handle: _, ...fault }) {
      faults += 1;
      watcher.onFault(fault);
    },
  };
  const state = createAuditState();
  let began = sizeOf(await reader.logs());
  const listings = await auditListings(reader, reader.handles(), state, watch);
  let logs = await reader.logs();
  const roots = readRoots(logs, kept, watch);
  const { check, finish } = createEntryCheck(state);
  const ofLogs = createLogAudit(reader, check, roots, watch);
  await ofLogs.readOn(logs);
  let found: AuditFault[] = [];
  let not_checked: string[] = [];
  for (let comparison = 1; ; comparison += 1) {
    found = [];
    const onFault = (fault: AuditFault) => {
      if (!state.unshownListings.has(fault.handle ?? '')) found.push(fault);
    };
    not_checked = await takeSteps(finish(), { ...watch, onFault });
    // A listing may have been read before an entry that was read later.
    const again = new Set(found.flatMap(({ handle }) => handle ?? []));
    if (again.size === 0 || sizeOf(logs) === began || comparison === mostComparisons) break;
    began = sizeOf(logs);
    await sleep(comparison * 100);
    await auditListings(reader, again, state, { ...watch, onFault() {}, onProgress: undefined });
    logs = await reader.logs();
    await ofLogs.readOn(logs);
  }
  for (const fault of found) watch.onFault(fault);
  ofLogs.finish();
  const entries = sizeOf(logs);
  if (entries > 0 && roots.length === 0)
    not_checked.push('the tree as a whole: there is no checkpoint to compare it with');
  return { entries, listings, faults, not_checked };
}

const interval_ms = day_ms;
const longestSleep_ms = 600_000;
/** Times as long as each piece of work took, so that requests are served first. */
const restPerWork = 3;
const mostLogged = 20;

function createRest(signal: AbortSignal): () => Promise<void> {
  let since_ms = performance.now();
  return async () => {
    await sleep((performance.now() - since_ms) * restPerWork, undefined, { signal, ref: false });
    since_ms = performance.now();
  };
}

/** The reader rests before each request. */
export type OpenOwnEvidence = (
  context: Context,
  rest?: () => Promise<void>,
) => Promise<EvidenceReader & AsyncDisposable>;

async function runAudit(context: Context, open: OpenOwnEvidence, signal: AbortSignal) {
  let logged = 0;
  const rest = createRest(signal);
  await using reader = await open(context, rest);
  return await audit(reader, [], {
    rest,
    onFault({ where, message, next }) {
      logged += 1;
      if (logged <= mostLogged)
        context.log.error({ where, next }, `the audit found a fault: ${where}: ${message}`);
    },
  });
}

/** Does nothing while another node audits. Rejects if the database cannot be read, or if aborted. */
export async function auditOnce(context: Context, open: OpenOwnEvidence, signal: AbortSignal): Promise<void> {
  const { store, log, clock } = context;
  await using lease = await store.leases.take('audit');
  if (!lease) return;
  const { entries, faults } = await runAudit(context, open, AbortSignal.any([signal, lease.signal]));
  const finished_at = clock().toISOString();
  await store.write((tx) => tx.audits.put({ finished_at, entries, faults }));
  if (faults === 0) log.info({ entries }, 'audit: what is shown agrees with the transparency log');
  else log.error({ entries, faults }, 'audit: faults were found; run dossier audit to see all of them');
}

/** At most ten minutes; an audit is due a day after the end of the last audit of any node. */
async function untilDue_ms({ store, clock }: Context): Promise<number> {
  const last = await store.audits.last();
  const due_ms = last ? Date.parse(last.finished_at) + interval_ms - clock().getTime() : 0;
  return Math.min(Math.max(due_ms, 0), longestSleep_ms);
}

/** Audits at once and then daily, until aborted; only one node at a time. Never rejects. */
export async function startAudits(context: Context, open: OpenOwnEvidence, signal: AbortSignal) {
  let isFirst = true;
  await every({
    signal,
    pause_ms: longestSleep_ms,
    async run() {
      const isDue = isFirst || (await untilDue_ms(context)) === 0;
      isFirst = false;
      if (isDue) await auditOnce(context, open, signal);
      return (await untilDue_ms(context)) || longestSleep_ms;
    },
    onError: (err) =>
      context.log.warn(
        { err },
        'the audit did not finish; the next attempt is made in ten minutes, or later if no audit is due then',
      ),
  });
}
