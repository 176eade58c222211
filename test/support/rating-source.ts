import { recordClaimEvent } from '../../src/claims/suspend.ts';
import { capabilityHash, createCapability } from '../../src/core/keys/capability.ts';
import type { Store } from '../../src/store/store.ts';
import { makeCapability, makeListing } from '../store/examples.ts';

const at = '2026-11-01T00:00:00.000Z';
const repository = { repository: 'https://github.com/b/source', repository_key: 'github.com/b/source' };

/**
 * Puts the claimed listing b/source and `subjects` listings to rate (a/subject-0 and on) into a database.
 * Answers the live capability.
 */
export async function addSource(store: Store, subjects = 1): Promise<string> {
  await store.write((tx) =>
    tx.listings.putListings(Array.from({ length: subjects }, (_, n) => makeListing(`a/subject-${n}`, n + 2))),
  );
  return addListingOfSource(store, 'b/source', 1);
}

/** Puts a claimed listing of the same source into a database; answers its live capability. */
export async function addListingOfSource(store: Store, handle: string, id: number): Promise<string> {
  const capability = createCapability();
  await store.write(async (tx) => {
    await tx.listings.putListings([makeListing(handle, id, repository)]);
    await tx.claims.putClaim({
      handle,
      state: 'claimed',
      claimed_at: at,
      kind: 'repository',
      place: repository.repository,
      place_key: repository.repository_key,
      root: 'github.com/b',
      root_generation: 0,
      first_proved_at: at,
      commit: 'c'.repeat(40),
      checked_at: at,
    });
    await tx.claims.putCapability(makeCapability(handle, capabilityHash(capability)));
  });
  return capability;
}

/** Puts the event of that claim into the history and the log, as a claim that was made here has it. */
export const recordSource = (store: Store): Promise<number> =>
  store.write(async (tx) => {
    const claim = await tx.claims.claim('b/source');
    if (!claim) throw new Error('b/source is not claimed');
    return recordClaimEvent(tx, claim, {
      type: 'activated',
      at,
      ...(claim.commit && { commit: claim.commit }),
    });
  });
