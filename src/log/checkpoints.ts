import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import {
  type CheckpointFile,
  checkpointPath,
  readCheckpointFile,
  replaceCheckpointFile,
} from './checkpoint-file.ts';
import type { createLogReads, LogHead } from './entries.ts';
import { toLeaf } from './leaf.ts';
import { treeRoot } from './merkle.ts';
import {
  type Checkpoint,
  type NoteKey,
  openCheckpoint,
  readCheckpoint,
  toCheckpoint,
  toNoteKey,
  verifierOf,
} from './notes.ts';
import type { LogTransaction } from './schema.ts';

export interface LogContext {
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => Date;
  readonly log: Logger;
}

export const logPath = (log: number): string => (log === 1 ? '/log' : `/log/${log}`);

/** C2SP tlog-tiles, "Parameters". */
export const logOrigin = (log: number, publicUrl: string): string =>
  `${publicUrl.replace(/^https?:\/\//, '')}${logPath(log)}`;

/** Of an origin on any host; 1 if it has no number. */
export const logOfOrigin = (origin: string): number => Number(/\/log\/(\d+)$/.exec(origin)?.[1] ?? 1);

export async function findKeyOfOrigin({ store }: Pick<LogContext, 'store'>, origin: string) {
  const seed = await store.log.seed();
  return seed === undefined ? undefined : toNoteKey(origin, Buffer.from(seed, 'base64'));
}

/** Stored, so that all nodes share it without configuration. */
export async function openLogSeed({ store, clock }: LogContext): Promise<Buffer> {
  const create = async (tx: LogTransaction) => {
    const created = randomBytes(32).toString('base64');
    const existing = await tx.log.seed();
    if (!existing) await tx.log.addSeed(created, clock().toISOString());
    return existing ?? created;
  };
  return Buffer.from((await store.log.seed()) || (await store.write(create)), 'base64');
}

export const openLogKey = async (context: LogContext, log: number): Promise<NoteKey> =>
  toNoteKey(logOrigin(log, context.config.publicUrl), await openLogSeed(context));

/** The newest log first. */
function largestOfLogs(texts: readonly string[]): string[] {
  const largest = new Map<number, { readonly text: string; readonly size: number }>();
  for (const text of texts) {
    const { origin = '', size = 0 } = readCheckpoint(text) ?? {};
    const log = logOfOrigin(origin);
    if (size >= (largest.get(log)?.size ?? 0)) largest.set(log, { text, size });
  }
  return [...largest].toSorted(([a], [b]) => b - a).map(([, { text }]) => text);
}

/**
 * Called before each publication, because another process may have put an older checkpoint back; never twice
 * at once in a process. The file also keeps what closed earlier logs, because a restored database lacks it.
 */
async function saveCheckpoint(
  context: LogContext,
  { text, heads, saved }: { text: string; heads: readonly LogHead[]; saved: CheckpointFile | undefined },
): Promise<void> {
  const path = checkpointPath(context.config);
  if (!path || saved?.otherDatabase !== undefined || saved?.texts[0] === text) return;
  const known = (await openOwn(context, saved?.texts ?? [])).map((one) => one.text);
  const closed = heads.flatMap(({ closed_with }) => closed_with ?? []);
  const texts = largestOfLogs([...known, ...closed, text]);
  if (texts.join('') !== saved?.texts.join(''))
    await replaceCheckpointFile(path, texts.join(''), context.config);
}

const newestOf = (heads: readonly [LogHead, ...LogHead[]]): LogHead => heads.at(-1) ?? heads[0];
const sizeOf = (checkpoint: string): number => readCheckpoint(checkpoint)?.size ?? 0;

interface SavedCheckpoint extends Checkpoint {
  readonly log: number;
  readonly text: string;
}

/** Signed by this database's key, under any PUBLIC_URL. */
async function openOwn(context: LogContext, texts: readonly string[]): Promise<SavedCheckpoint[]> {
  const own: SavedCheckpoint[] = [];
  for (const text of texts) {
    const origin = readCheckpoint(text)?.origin;
    const key = origin === undefined ? undefined : await findKeyOfOrigin(context, origin);
    const opened = key && openCheckpoint(text, verifierOf(key));
    if (opened) own.push({ ...opened, text, log: logOfOrigin(opened.origin) });
  }
  return own;
}

export async function isContained(
  log: Pick<ReturnType<typeof createLogReads>, 'heads' | 'tree'>,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const head = (await log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return sizeOf(head.closed_with) >= checkpoint.size;
  if (!head || head.size < checkpoint.size) return false;
  return (await treeRoot(log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
}

function reportOther({ log }: LogContext, { path, otherDatabase }: CheckpointFile): void {
  log.error(
    { file: path, database: otherDatabase },
    'the checkpoint file belongs to another database, which still exists, so the file is neither compared nor written; set CHECKPOINT_FILE to another file, or move the other database away if this one replaces it',
  );
}

async function findLost(log: Parameters<typeof isContained>[0], saved: readonly SavedCheckpoint[]) {
  const contained = await Promise.all(saved.map((one) => isContained(log, one)));
  return saved.filter((_, at) => !contained[at]);
}

/**
 * If the newest log or a later one is lost, the next log has a greater number than each, so that no two logs
 * sign checkpoints under the same name. False if a saved checkpoint is not one of this database.
 */
async function closeLostLogs(context: LogContext, texts: readonly string[]): Promise<boolean> {
  const saved = await openOwn(context, texts);
  if (saved.length === 0 || saved.length < texts.length) return false;
  if ((await findLost(context.store.log, saved)).length === 0) return true;
  const closing = await signHead(context, newestOf(await context.store.log.heads()));
  const opened_at = context.clock().toISOString();
  const continued = await context.store.write(async (tx) => {
    const lost = await findLost(tx.log, saved);
    const { id } = newestOf(await tx.log.heads());
    const [last] = lost;
    const isOpened = last !== undefined && last.log >= id;
    if (isOpened) await tx.log.close({ id, closed_with: closing, opened_at });
    for (const { log, text } of lost.toReversed())
      await tx.log.close({ id: log, closed_with: text, opened_at });
    if (!isOpened) return undefined;
    await tx.log.openNext({ id: last.log + 1, opened_at });
    await tx.log.append(toLeaf('log.continued', { checkpoint: last.text }));
    return last;
  });
  if (continued)
    context.log.warn(
      { size: continued.size },
      'the database is older than the published checkpoint; a new transparency log was opened',
    );
  return true;
}

/**
 * Must be called before anything is written (docs/log.md). If the database lacks a tree that was signed, for
 * example because an older backup was restored, a new log begins with that checkpoint.
 */
export async function compareWithCheckpointFile(context: LogContext): Promise<void> {
  const file = await readCheckpointFile(context.config);
  if (file === undefined) return;
  if (file.otherDatabase !== undefined) return reportOther(context, file);
  if (await closeLostLogs(context, file.texts)) return;
  context.log.error(
    { file: file.path },
    'the checkpoint file is unreadable, cut off or not signed by the key of this database, so a roll-back of the database cannot be detected at this start; compare the log with a checkpoint stored elsewhere',
  );
}

export interface IssuedCheckpoint {
  readonly head: LogHead;
  readonly size: number;
  readonly text: string;
}

export interface CheckpointCache {
  /** What witnesses cosigned last, with the line of each witness by its name in the policy. */
  cosigned?: { readonly checkpoint: IssuedCheckpoint; readonly lines: ReadonlyMap<string, string> };
  last?: { readonly at_ms: number; readonly checkpoint: Promise<IssuedCheckpoint> };
  /**
   * All callers for whom `last` is too old share it: signing one at a time, no smaller tree is published
   * after a larger one.
   */
  next?: Promise<IssuedCheckpoint> | undefined;
}

export type IssuingContext = LogContext & { readonly checkpoints: CheckpointCache };

const signAtMostEvery_ms = 1000;

async function signHead(context: LogContext, { id, size }: LogHead): Promise<string> {
  const root = await treeRoot(context.store.log.tree(id), size);
  return toCheckpoint({ size, root }, await openLogKey(context, id));
}

async function issue(context: LogContext, last: IssuedCheckpoint | undefined): Promise<IssuedCheckpoint> {
  const saved = await readCheckpointFile(context.config);
  // A database that is replaced while the service runs may lack what was signed before.
  if (saved && saved.otherDatabase === undefined) await closeLostLogs(context, saved.texts);
  const heads = await context.store.log.heads();
  const head = newestOf(heads);
  const isSame = last?.head.id === head.id && last.size === head.size;
  const text = isSame ? last.text : await signHead(context, head);
  await saveCheckpoint(context, { text, heads, saved });
  return isSame ? last : { head, size: head.size, text };
}

function issueNext(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { checkpoints, clock } = context;
  checkpoints.next ??= (async () => {
    const before = await checkpoints.last?.checkpoint.catch(() => undefined);
    const checkpoint = issue(context, before);
    checkpoints.last = { at_ms: clock().getTime(), checkpoint };
    checkpoints.next = undefined;
    return checkpoint;
  })();
  return checkpoints.next;
}

/** Covers at least the entries older than a second. */
export async function currentCheckpoint(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { last } = context.checkpoints;
  const isNew = last && Math.abs(context.clock().getTime() - last.at_ms) < signAtMostEvery_ms;
  const known = isNew ? await last.checkpoint.catch(() => undefined) : undefined;
  return known ?? issueNext(context);
}

/** Undefined if the log is empty, or the database lacks what was signed: a backup opens no next log. */
export async function checkpointForBackup(context: IssuingContext): Promise<string | undefined> {
  const { texts = [], otherDatabase } = (await readCheckpointFile(context.config)) ?? {};
  const own = await openOwn(context, texts);
  const isOlder = own.length < texts.length || (await findLost(context.store.log, own)).length > 0;
  if ((otherDatabase === undefined && isOlder) || (await context.store.log.size()) === 0) return undefined;
  return (await currentCheckpoint(context)).text;
}

export function withCosignatures({ cosigned }: CheckpointCache, { text }: IssuedCheckpoint): string {
  return cosigned?.checkpoint.text === text ? text + [...cosigned.lines.values()].join('') : text;
}

const covers = ({ head, size }: IssuedCheckpoint, log_index: number) => log_index < head.base + size;

/** The entry must be in the open log. */
export async function checkpointCovering(context: IssuingContext, log_index: number) {
  const newest = await currentCheckpoint(context);
  const cosigned = context.checkpoints.cosigned?.checkpoint;
  if (cosigned && cosigned.head.id === newest.head.id && covers(cosigned, log_index)) return cosigned;
  if (covers(newest, log_index)) return newest;
  return issueNext(context);
}

export class NotErasable extends Error {}

/**
 * The leaf stays, so every proof still holds. The caller must change the rows that listings show. The new
 * entry `record.erased` publishes `reason`.
 * @throws NotErasable, which says why nothing was erased
 */
export async function eraseRecord(
  tx: LogTransaction,
  { log_index, at, reason }: { log_index: number; at: string; reason: string },
): Promise<number> {
  const entry = await tx.log.leaf(log_index);
  if (!entry) throw new NotErasable('no log entry has this index');
  if (!(await tx.log.record(log_index)))
    throw new NotErasable('the record of this entry is not stored: it was erased before, or lost');
  const { leaf } = entry;
  const erased_by = await tx.log.append(toLeaf('record.erased', { log_index, leaf, erased_at: at, reason }));
  await tx.log.erase(log_index, erased_by);
  return erased_by;
}
