import { randomBytes, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ExitError, exitCodes, textOf } from '../core/process.ts';
import type { Store, Transaction } from '../store/store.ts';
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

/** What the transparency log needs of a context. */
export interface LogContext {
  readonly store: Store;
  readonly config: Config;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** Path of a log: /log for the first one, /log/2 and so on for those opened after a restored backup. */
export const logPath = (log: number): string => (log === 1 ? '/log' : `/log/${log}`);

/** Origin of a log in its checkpoints: its URL without the scheme (C2SP tlog-tiles, "Parameters"). */
export const logOrigin = (log: number, publicUrl: string): string =>
  `${publicUrl.replace(/^https?:\/\//, '')}${logPath(log)}`;

/** The number of the log with an origin, whatever host it was served under. */
export const logOfOrigin = (origin: string): number => Number(/\/log\/(\d+)$/.exec(origin)?.[1] ?? 1);

/** The key that signs the checkpoints of an origin; undefined if this database has none yet. */
export async function findKeyOfOrigin(
  { store }: Pick<LogContext, 'store'>,
  origin: string,
): Promise<NoteKey | undefined> {
  const seed = await store.keys.logSeed();
  return seed === undefined ? undefined : toNoteKey(origin, Buffer.from(seed, 'base64'));
}

/** The seed that the keys of this database are made of, 32 bytes: made once and stored, so that all nodes share it without configuration. */
export async function openLogSeed({ store, clock }: LogContext): Promise<Buffer> {
  const create = async (tx: Transaction) => {
    const created = randomBytes(32).toString('base64');
    const existing = await tx.keys.logSeed();
    if (!existing) await tx.keys.addLogSeed(created, clock().toISOString());
    return existing ?? created;
  };
  return Buffer.from((await store.keys.logSeed()) || (await store.write(create)), 'base64');
}

/** The key that signs one log's checkpoints. */
export const openLogKey = async (context: LogContext, log: number): Promise<NoteKey> =>
  toNoteKey(logOrigin(log, context.config.publicUrl), await openLogSeed(context));

/** The settings that say where the checkpoint file is. */
export type FileConfig = Pick<Config, 'checkpointFile' | 'databaseUrl'>;

/** Path of the checkpoint file, outside the database; undefined if none is configured and the database is no file. */
function checkpointPath({ checkpointFile, databaseUrl }: FileConfig): string | undefined {
  if (checkpointFile) return checkpointFile;
  return databaseUrl.startsWith('file:') ? `${databaseUrl.slice('file:'.length)}.checkpoint` : undefined;
}

/** Makes a rename in a folder survive a loss of power. Throws where the system cannot. */
export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

/** Whether what is saved is of a larger tree of the same log, or of a later log: another process was faster. */
async function isOlderThan(text: string, context: LogContext, checkpoint: Checkpoint): Promise<boolean> {
  const saved = await openOwnCheckpoint(context, text);
  if (!saved) return false;
  const [log, savedLog] = [logOfOrigin(checkpoint.origin), logOfOrigin(saved.origin)];
  return log < savedLog || (log === savedLog && checkpoint.size < saved.size);
}

/** Nodes with the same process id may share the folder. */
const processName = randomUUID();

/**
 * Replaces the checkpoint file atomically, unless it has this checkpoint or a newer one. To be called each time before a
 * checkpoint is published, one call of a process after the other: another process that read the file just before this one
 * replaced it may have put back an older one.
 */
async function saveCheckpoint(context: LogContext, text: string): Promise<void> {
  const path = checkpointPath(context.config);
  const checkpoint = readCheckpoint(text);
  if (!path || !checkpoint) return;
  const saved = await readCheckpointFile(context.config);
  if (saved === text || (await isOlderThan(saved ?? '', context, checkpoint))) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${processName}.new`, text, { flush: true });
  await rename(`${path}.${processName}.new`, path);
  await syncFolder(dirname(path));
}

/**
 * Makes the folder of CHECKPOINT_FILE if there is none. Throws ExitError (78) if checkpoints could not be saved there: no proof
 * could be given later. The default is the folder of the database, which opening the database makes.
 */
export async function requireCheckpointFolder({ checkpointFile: path }: FileConfig): Promise<void> {
  if (!path) return;
  try {
    await mkdir(dirname(path), { recursive: true });
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    const message = `CHECKPOINT_FILE: its folder cannot be written: ${textOf(error)}`;
    throw new ExitError(exitCodes.configuration, message);
  }
}

/** The content of the checkpoint file; undefined if there is none. A file that cannot be read has no content. */
export async function readCheckpointFile(config: FileConfig): Promise<string | undefined> {
  const path = checkpointPath(config);
  if (!path) return undefined;
  return readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) =>
    code === 'ENOENT' ? undefined : '',
  );
}

/** Parses a checkpoint that this database's key signed, under whatever PUBLIC_URL; undefined for any other text. */
async function openOwnCheckpoint(context: LogContext, text: string): Promise<Checkpoint | undefined> {
  const origin = readCheckpoint(text)?.origin;
  const key = origin === undefined ? undefined : await findKeyOfOrigin(context, origin);
  return key && openCheckpoint(text, verifierOf(key));
}

/** Whether the database contains a checkpoint's tree. A log that was closed counts: another node has handled it. */
export async function isContained(
  log: Pick<ReturnType<typeof createLogReads>, 'heads' | 'tree'>,
  checkpoint: Checkpoint,
): Promise<boolean> {
  const head = (await log.heads()).find(({ id }) => id === logOfOrigin(checkpoint.origin));
  if (head?.closed_with !== undefined) return true;
  if (!head || head.size < checkpoint.size) return false;
  return (await treeRoot(log.tree(head.id), checkpoint.size)).equals(checkpoint.root);
}

/**
 * Compares the database with the checkpoint file. If the database does not contain that checkpoint's tree (an older
 * backup was restored), closes the log with the checkpoint and opens the next log, whose first entry is the checkpoint.
 * A file without a valid signature of this database's key is reported and otherwise ignored.
 * To be called once, before anything is written (docs/log.md).
 */
export async function compareWithCheckpointFile(context: LogContext): Promise<void> {
  const { store, config, clock, log } = context;
  const text = await readCheckpointFile(config);
  if (text === undefined) return;
  const checkpoint = await openOwnCheckpoint(context, text);
  if (!checkpoint)
    return log.error(
      { file: checkpointPath(config) },
      'the checkpoint file is unreadable, cut off or not signed by the key of this database, so a roll-back of the database cannot be detected at this start; compare the log with a checkpoint stored elsewhere',
    );
  if (await isContained(store.log, checkpoint)) return;
  const isOpened = await store.write(async (tx) => {
    if (await isContained(tx.log, checkpoint)) return false;
    await tx.log.openNext(text, clock().toISOString());
    await tx.log.append(toLeaf('log.continued', { checkpoint: text }));
    return true;
  });
  if (isOpened)
    log.warn(
      { size: checkpoint.size },
      'the database is older than the published checkpoint; a new transparency log was opened',
    );
}

/** A signed checkpoint, and the log it belongs to. */
export interface IssuedCheckpoint {
  readonly head: LogHead;
  /** Entries it covers. */
  readonly size: number;
  readonly text: string;
}

/** The checkpoints of this process; shared by all requests. */
export interface CheckpointCache {
  /** The one that witnesses cosigned last, and their signature lines, by their names in the policy. */
  cosigned?: { readonly checkpoint: IssuedCheckpoint; readonly lines: ReadonlyMap<string, string> };
  /** The newest one, or the one that is being signed. */
  last?: { readonly at_ms: number; readonly checkpoint: Promise<IssuedCheckpoint> };
  /** The one after it, for all whom `last` does not serve: one is signed at a time, so that trees and file only grow. */
  next?: Promise<IssuedCheckpoint> | undefined;
}

/** What issuing a checkpoint needs of a context. */
export type IssuingContext = LogContext & { readonly checkpoints: CheckpointCache };

const signAtMostEvery_ms = 1000;

async function sign(context: LogContext, head: LogHead): Promise<IssuedCheckpoint> {
  const root = await treeRoot(context.store.log.tree(head.id), head.size);
  const text = toCheckpoint({ size: head.size, root }, await openLogKey(context, head.id));
  await saveCheckpoint(context, text);
  return { head, size: head.size, text };
}

async function issue(context: LogContext, last: IssuedCheckpoint | undefined): Promise<IssuedCheckpoint> {
  const heads = await context.store.log.heads();
  const head = heads.at(-1) ?? heads[0];
  const isSame = last?.head.id === head.id && last.size === head.size;
  if (!isSame) return sign(context, head);
  await saveCheckpoint(context, last.text);
  return last;
}

/** A checkpoint of what the log contains now; those who ask while another is being signed share the one after it. */
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

/**
 * The newest checkpoint of the open log. It is signed at most once a second, and saved to the checkpoint file before it
 * is published (docs/log.md).
 */
export async function currentCheckpoint(context: IssuingContext): Promise<IssuedCheckpoint> {
  const { last } = context.checkpoints;
  const isNew = last && Math.abs(context.clock().getTime() - last.at_ms) < signAtMostEvery_ms;
  const known = isNew ? await last.checkpoint.catch(() => undefined) : undefined;
  return known ?? issueNext(context);
}

/** The text of a checkpoint with the cosignatures that have arrived for it. */
export function withCosignatures({ cosigned }: CheckpointCache, { text }: IssuedCheckpoint): string {
  return cosigned?.checkpoint.text === text ? text + [...cosigned.lines.values()].join('') : text;
}

const covers = ({ head, size }: IssuedCheckpoint, log_index: number) => log_index < head.base + size;

/**
 * A checkpoint that covers an entry of the open log: the one that witnesses cosigned, the newest one, or one signed now if
 * the entry was appended after both.
 */
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

/** Why nothing was erased, as a sentence for the operator. */
export class NotErasable extends Error {}

/**
 * Deletes the record and salt of a log entry, and appends `record.erased`, in the caller's transaction; the leaf stays, so
 * every proof still holds; `reason` is published. What listings show of it is the caller's. Returns the log index of the new entry. Throws
 * NotErasable.
 */
export async function eraseRecord(
  tx: Transaction,
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
