import { openSqliteStore } from '../src/app/sqlite-store.ts';
import type { Claim } from '../src/claims/claim.ts';
import { recordClaimEvent } from '../src/claims/suspend.ts';
import { repositoryRoot } from '../src/core/handle.ts';
import { capabilityHash, capabilityId, createCapability } from '../src/core/keys/capability.ts';
import type { Transaction } from '../src/store/store.ts';

const claimed_at = '2026-06-01T00:00:00.000Z';

/** Writes what a proven claim of a listing writes; returns a live capability. */
async function claimListing(tx: Transaction, handle: string): Promise<string | undefined> {
  const listing = await tx.listings.byHandle(handle);
  if (!listing?.repository || !listing.repository_key) return undefined;
  const { repository, repository_key } = listing;
  const root = repositoryRoot(repository_key);
  const capability = createCapability();
  const hash = capabilityHash(capability);
  const id = capabilityId(hash);
  const claim: Claim = {
    handle,
    state: 'claimed',
    claimed_at,
    kind: 'repository',
    place: repository,
    place_key: repository_key,
    root,
    root_generation: 0,
    first_proved_at: claimed_at,
    checked_at: new Date().toISOString(),
  };
  await tx.claims.putClaim(claim);
  await tx.claims.putCapability({
    hash,
    id,
    handle,
    state: 'active',
    issued_at: claimed_at,
    activated_at: claimed_at,
  });
  await recordClaimEvent(tx, claim, { type: 'activated', at: claimed_at, capability_id: id });
  await tx.listings.reindex(handle);
  return capability;
}

/** Claims those of the listings that record a repository; returns their capabilities. */
export async function claimListings(databaseUrl: string, handles: readonly string[]): Promise<string[]> {
  const store = await openSqliteStore(databaseUrl);
  const capabilities: string[] = [];
  try {
    for (const handle of handles) {
      const capability = await store.write((tx) => claimListing(tx, handle));
      if (capability) capabilities.push(capability);
    }
  } finally {
    await store.close();
  }
  return capabilities;
}
