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

/** The origin of a log in its checkpoints: its URL without the scheme (C2SP tlog-tiles, "Parameters"). */
export const logOrigin = (log: number, publicUrl: string): string =>
  `${publicUrl.replace(/^https?:\/\//, '')}${logPath(log)}`;

/** Reads the number of a log from its origin, on any host. Returns 1 if the origin has no number. */
export const logOfOrigin = (origin: string): number => Number(/\/log\/(\d+)$/.exec(origin)?.[1] ?? 1);

/** Returns undefined if this database has no seed yet. */
export async function findKeyOfOrigin(
  { store }: Pick<LogContext, 'store'>,
  origin: string,
): Promise<NoteKey | undefined> {
  const seed = await store.log.seed();
  return seed === undefined ? undefined : toNoteKey(origin, Buffer.from(seed, 'base64'));
}

/**
 * Returns the seed of the signing keys (32 bytes). It is created once and stored, so that all nodes share it
 * without configuration.
 */
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

/** Another process may have saved a newer checkpoint. */
async function isOlderThan(text: string, context: LogContext, checkpoint: Checkpoint): Promise<boolean> {
  const saved = await openOwnCheckpoint(context, text);
  if (!saved) return false;
  const log = logOfOrigin(checkpoint.origin);
  const savedLog = logOfOrigin(saved.origin);
  return log < savedLog || (log === savedLog && checkpoint.size < saved.size);
}

/**
 * Call this before each publication, because another process may have put an older checkpoint back. Never let
 * two calls run at once in a process.
 */
async function saveCheckpoint(context: LogContext, text: string): Promise<void> {
  const path = checkpointPath(context.config);
  const checkpoint = readCheckpoint(text);
  if (!path || !checkpoint) return;
  const saved = await readCheckpointFile(context.config);
  if (saved?.otherDatabase !== undefined || saved?.text === text) return;
  if (await isOlderThan(saved?.text ?? '', context, checkpoint)) return;
  await replaceCheckpointFile(path, text, context.config);
}

const newestCheckpoint = (heads: readonly [LogHead, ...LogHead[]]): LogHead => heads.at(-1) ?? heads[0];

/** Returns a checkpoint that this database's key signed, under any PUBLIC_URL. */
async function openOwnCheckpoint(context: LogContext, text: string): Promise<Checkpoint | undefined> {
  const origin = readCheckpoint(text)?.origin;
  const key = origin === undefined ? undefined : await findKeyOfOrigin(context, origin);
  return key && openCheckpoint(text, verifierOf(key));
}

/**
 * A checkpoint of a log before the newest one counts as contained, because a node has already closed that
 * log. A checkpoint of a later log does not count as contained, because it comes from a database that went on
 * after this one was copied.
 */
export async function isContained(
  log: Pick<ReturnType<typeof createLogReads>, 'heads' | 'tree'>,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const head = newestCheckpoint(await log.heads());
  const of = logOfOrigin(checkpoint.origin);
  if (head.id !== of) return head.id > of;
  if (head.size < checkpoint.size) return false;
  return (await treeRoot(log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
}

/** The published checkpoint closes the newest log only if it is of that log. */
async function closingCheckpoint(context: LogContext, published: Checkpoint, text: string): Promise<string> {
  const head = newestCheckpoint(await context.store.log.heads());
  if (head.id === logOfOrigin(published.origin)) return text;
  const root = await treeRoot(context.store.log.tree(head.id), head.size);
  return toCheckpoint({ size: head.size, root }, await openLogKey(context, head.id));
}

function reportOther({ log }: LogContext, { path, otherDatabase }: CheckpointFile): void {
  log.error(
    { file: path, database: otherDatabase },
    'the checkpoint file belongs to another database, which still exists, so the file is neither compared nor written; set CHECKPOINT_FILE to another file, or move the other database away if this one replaces it',
  );
}

/**
 * Compares the database with the checkpoint file (docs/log.md). It must be called before anything is written.
 * If the database does not contain the checkpoint's tree, for example because an older backup was restored,
 * the function closes the log and opens a new one, whose first entry contains the checkpoint. The number of
 * the new log is greater than every number in the database and the checkpoint, so that no two logs sign
 * checkpoints under the same name.
 */
export async function compareWithCheckpointFile(context: LogContext): Promise<void> {
  const { store, config, clock, log } = context;
  const file = await readCheckpointFile(config);
  if (file === undefined) return;
  if (file.otherDatabase !== undefined) return reportOther(context, file);
  const { text, path } = file;
  const checkpoint = await openOwnCheckpoint(context, text);
  if (!checkpoint)
    return log.error(
      { file: path },
      'the checkpoint file is unreadable, cut off or not signed by the key of this database, so a roll-back of the database cannot be detected at this start; compare the log with a checkpoint stored elsewhere',
    );
  if (await isContained(store.log, checkpoint)) return;
  const closed_with = await closingCheckpoint(context, checkpoint, text);
  const isOpened = await store.write(async (tx) => {
    if (await isContained(tx.log, checkpoint)) return false;
    const id = 1 + Math.max(newestCheckpoint(await tx.log.heads()).id, logOfOrigin(checkpoint.origin));
    await tx.log.openNext({ id, closed_with, opened_at: clock().toISOString() });
    await tx.log.append(toLeaf('log.continued', { checkpoint: text }));
    return true;
  });
  if (isOpened)
    log.warn(
      { size: checkpoint.size },
      'the database is older than the published checkpoint; a new transparency log was opened',
    );
}

export interface IssuedCheckpoint {
  readonly head: LogHead;
  readonly size: number;
  readonly text: string;
}

export interface CheckpointCache {
  /**
   * The checkpoint that witnesses cosigned last, and the signature line of each witness by its name in the
   * policy.
   */
  cosigned?: { readonly checkpoint: IssuedCheckpoint; readonly lines: ReadonlyMap<string, string> };
  /** The promise is pending until the checkpoint is signed. */
  last?: { readonly at_ms: number; readonly checkpoint: Promise<IssuedCheckpoint> };
  /**
   * All callers for whom `last` is too old share this promise. Only one checkpoint is signed at a time, so
   * that no smaller tree is published after a larger one.
   */
  next?: Promise<IssuedCheckpoint> | undefined;
}

export type IssuingContext = LogContext & { readonly checkpoints: CheckpointCache };

const signAtMostEvery_ms = 1000;

async function sign(context: LogContext, head: LogHead): Promise<IssuedCheckpoint> {
  const root = await treeRoot(context.store.log.tree(head.id), head.size);
  const text = toCheckpoint({ size: head.size, root }, await openLogKey(context, head.id));
  await saveCheckpoint(context, text);
  return { head, size: head.size, text };
}

async function issue(context: LogContext, last: IssuedCheckpoint | undefined): Promise<IssuedCheckpoint> {
  const head = newestCheckpoint(await context.store.log.heads());
  const isSame = last?.head.id === head.id && last.size === head.size;
  if (!isSame) return sign(context, head);
  await saveCheckpoint(context, last.text);
  return last;
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

/** Returns a checkpoint of the open log that covers at least the entries older than a second. */
export async function currentCheckpoint(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { last } = context.checkpoints;
  const isNew = last && Math.abs(context.clock().getTime() - last.at_ms) < signAtMostEvery_ms;
  const known = isNew ? await last.checkpoint.catch(() => undefined) : undefined;
  return known ?? issueNext(context);
}

export function withCosignatures({ cosigned }: CheckpointCache, { text }: IssuedCheckpoint): string {
  return cosigned?.checkpoint.text === text ? text + [...cosigned.lines.values()].join('') : text;
}

const covers = ({ head, size }: IssuedCheckpoint, log_index: number) => log_index < head.base + size;

/** The entry must be in the open log. A checkpoint that witnesses cosigned is preferred. */
export async function checkpointCovering(
  context: IssuingContext,
  log_index: number,
): Promise<IssuedCheckpoint> {
  const newest = await currentCheckpoint(context);
  const cosigned = context.checkpoints.cosigned?.checkpoint;
  if (cosigned && cosigned.head.id === newest.head.id && covers(cosigned, log_index)) return cosigned;
  if (covers(newest, log_index)) return newest;
  return issueNext(context);
}

/** Its message says why nothing was erased. */
export class NotErasable extends Error {}

/**
 * Deletes the record of an entry. Its leaf stays, so every proof still holds. The caller must change the rows
 * that listings show. Returns the log index of the new entry `record.erased`, which publishes `reason`.
 * Throws NotErasable.
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
