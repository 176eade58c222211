import type { Transaction } from '../store/store.ts';
import { suspendClaim } from './suspend.ts';

/** Withdraws a listing whose claim file opts out: publisher text is deleted, handle and claim history stay. */
export async function withdrawByOptout(tx: Transaction, handle: string, at: string): Promise<void> {
  const row = await tx.listings.row(handle);
  if (!row || row.withdrawn === 'optout') return;
  await suspendClaim(tx, { handle, reason: 'withdrawn', at });
  await tx.listings.putListings([
    {
      ...row,
      title: null,
      description: '',
      status_message: null,
      endpoint: null,
      repository: null,
      website: null,
      remotes: '[]',
      packages: '[]',
      tags: '[]',
      facets: '',
      withdrawn: 'optout',
    },
  ]);
}
