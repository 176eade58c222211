import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { type NoteKey, toNoteKey } from '../evidence/log/signed-note.ts';
import type { Store } from '../store/store.ts';

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

/** The seed is generated once and stored in the database, so that all nodes share it without configuration. */
async function readSeed({ store, clock }: LogContext): Promise<string> {
  const stored = await store.keys.logSeed();
  if (stored) return stored;
  return store.write(async (tx) => {
    const generated = randomBytes(32).toString('base64');
    const existing = await tx.keys.logSeed();
    if (!existing) await tx.keys.addLogSeed(generated, clock().toISOString());
    return existing ?? generated;
  });
}

/** The key that signs the checkpoints of an origin; undefined if this database has none yet. */
export async function findKeyOfOrigin(
  { store }: Pick<LogContext, 'store'>,
  origin: string,
): Promise<NoteKey | undefined> {
  const seed = await store.keys.logSeed();
  return seed === undefined ? undefined : toNoteKey(origin, Buffer.from(seed, 'base64'));
}

/** The seed that the keys of this database are made of, 32 bytes. */
export const openLogSeed = async (context: LogContext): Promise<Buffer> =>
  Buffer.from(await readSeed(context), 'base64');

/** The key that signs one log's checkpoints. */
export const openLogKey = async (context: LogContext, log: number): Promise<NoteKey> =>
  toNoteKey(logOrigin(log, context.config.publicUrl), await openLogSeed(context));
