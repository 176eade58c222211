import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { toLine } from '../../evidence/text/sanitize.ts';
import { openStore } from '../../store/open.ts';
import { eraseRecord, NotErasable } from '../../transparency-log/erase-record.ts';

/** Most characters of a published reason. */
const maxReason = 200;

/** Erases the record of one log entry, and publishes that and the reason. Throws ExitError. */
export async function runEraseRecord(config: Config, index: string, sent: string): Promise<void> {
  const reason = toLine(sent);
  if (!reason || reason.length > maxReason)
    throw new ExitError(exitCodes.usage, `--reason must have 1 to ${maxReason} characters; it is published`);
  if (!/^\d{1,15}$/.test(index))
    throw new ExitError(exitCodes.usage, 'record erase: name the log_index that list_ratings shows');
  const store = await openStore(config);
  try {
    const erasure = { log_index: Number(index), at: new Date().toISOString(), reason };
    const erased_by = await store.write((tx) => eraseRecord(tx, erasure));
    process.stdout.write(`erased the record of entry ${index}; entry ${erased_by} says so\n`);
  } catch (error) {
    if (error instanceof NotErasable)
      throw new ExitError(exitCodes.usage, `${error.message}; nothing was changed`);
    throw error;
  } finally {
    await store.close();
  }
}
