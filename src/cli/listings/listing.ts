import { restoreListing } from '../../claims/opt-out.ts';
import type { Config } from '../../config/config.ts';
import { ExitError, exitCodes } from '../../config/exit.ts';
import { toLine } from '../../evidence/text/sanitize.ts';
import { openStore } from '../../store/open.ts';

/** Most characters of a published reason. */
const maxReason = 200;

/** Lists a listing again that an opt-out line withdrew, and publishes the reason. Throws ExitError. */
export async function runRestoreListing(config: Config, handle: string, sent: string): Promise<void> {
  const reason = toLine(sent);
  if (!reason || reason.length > maxReason)
    throw new ExitError(exitCodes.usage, `--reason must have 1 to ${maxReason} characters; it is published`);
  const store = await openStore(config);
  try {
    await store.write(async (tx) => {
      const optOut = await tx.listings.optOut(handle);
      if (optOut?.state !== 'withdrawn')
        throw new ExitError(
          exitCodes.usage,
          `no opt-out line has withdrawn a listing ${handle}; nothing was changed`,
        );
      const at = new Date().toISOString();
      await restoreListing(tx, optOut, { at, reason: `operator: ${reason}` });
      await tx.listings.putOptOut({ ...optOut, state: 'overruled', checked_at: at, listing: undefined });
    });
  } finally {
    await store.close();
  }
  process.stdout.write(`restored ${handle}\n`);
}
