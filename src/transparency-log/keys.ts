import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { type NoteKey, toNoteKey } from '../evidence/log/signed-note.ts';

/** What signing needs of a context. */
export type RecordContext = Pick<Context, 'store' | 'config' | 'clock' | 'log'>;

/** Path of a log: the first one is /log, the ones after a restored backup are /log/2 and so on. */
export const logPath = (log: number): string => (log === 1 ? '/log' : `/log/${log}`);

/** Name of a log in its checkpoints: its address without the scheme (C2SP tlog-tiles, "Parameters"). */
export const logOrigin = (log: number, publicUrl: string): string =>
  `${publicUrl.replace(/^https?:\/\//, '')}${logPath(log)}`;

/** The number of the log that an origin names, whatever address it was served under. */
export const logOfOrigin = (origin: string): number => Number(/\/log\/(\d+)$/.exec(origin)?.[1] ?? 1);

/** The seed is made once and kept in the database, so that one node needs no set-up and several share it. */
async function readSeed({ store, clock }: RecordContext): Promise<string> {
  const kept = await store.keys.logSeed();
  if (kept) return kept;
  return store.write(async (tx) => {
    const made = randomBytes(32).toString('base64');
    const found = await tx.keys.logSeed();
    if (!found) await tx.keys.addLogSeed(made, clock().toISOString());
    return found ?? made;
  });
}

/** The key that signs one log's checkpoints. */
export const openLogKey = async (context: RecordContext, log: number): Promise<NoteKey> =>
  toNoteKey(logOrigin(log, context.config.publicUrl), Buffer.from(await readSeed(context), 'base64'));
