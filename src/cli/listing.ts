import { restoreListing } from '../claims/opt-out.ts';
import type { Config } from '../config/config.ts';
import { usageError } from '../core/process.ts';
import { toLine } from '../core/text.ts';
import { isGone } from '../listings/listing.ts';
import { print, withStore } from './shell.ts';

const maxReason = 200;

export async function runRestoreListing(config: Config, handle: string, sent: string): Promise<void> {
  const reason = toLine(sent);
  if (!reason || reason.length > maxReason)
    throw usageError(`--reason must have 1 to ${maxReason} characters; it is published`);
  await withStore(config, (store) =>
    store.write(async (tx) => {
      const optOut = await tx.optOuts.withdrawing(handle);
      if (!optOut) throw usageError(`no opt-out line has withdrawn a listing ${handle}; nothing was changed`);
      if (optOut.listing && isGone(optOut.listing))
        throw usageError(`the registry has deleted ${handle} meanwhile; nothing was changed`);
      const at = new Date().toISOString();
      const claim = await tx.claims.claim(handle);
      await restoreListing(tx, [claim, optOut], { at, reason: `operator: ${reason}` });
      await tx.optOuts.put({ ...optOut, state: 'overruled', checked_at: at, listing: undefined });
    }),
  );
  print(`restored ${handle}`);
}
