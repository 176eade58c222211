import { toWithdrawn } from '../evidence/listing/withdrawn.ts';
import type { Transaction } from '../store/store.ts';
import { suspendClaim } from './suspend.ts';

/** Withdraws a listing whose claim file opts out: publisher text is deleted, handle and claim history stay. */
export async function withdrawByOptout(tx: Transaction, handle: string, at: string): Promise<void> {
  const listing = await tx.listings.byHandle(handle);
  if (!listing || listing.withdrawn === 'optout') return;
  await suspendClaim(tx, { handle, reason: 'withdrawn', at });
  await tx.listings.putListings([toWithdrawn(listing, 'optout')]);
}
