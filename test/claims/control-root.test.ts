import { afterEach, beforeEach, expect, test } from 'vitest';
import { suspendClaim } from '../../src/claims/suspend.ts';
import { type ClaimDirectory, claimableListing, openClaimDirectory, putListings } from './claim-directory.ts';

const file = 'dossier-claim.txt';
const handle = 'co.webhook/webhook';
let directory: ClaimDirectory;
/** The capability of the claim before, as its holder presents it. */
let capability: string | undefined;
beforeEach(async () => {
  capability = undefined;
  directory = await openClaimDirectory();
});
afterEach(() => directory.close());

/** Records another repository for the listing, as an import does, and claims it there. */
async function claimIn(repository: string) {
  const { store, clock } = directory.context;
  const url = `https://github.com/${repository}`;
  if ((await store.listings.byHandle(handle))?.repository !== url) {
    await putListings(store, claimableListing(1, handle, url));
    const at = clock().toISOString();
    await store.write(async (tx) =>
      suspendClaim(tx, await tx.claims.claim(handle), { reason: 'repository_changed', at }),
    );
  }
  const issued = await directory.ask({}, capability);
  capability = issued.capability;
  directory.git.createRepository(repository).commit({ [file]: issued.challenge });
  expect(await directory.ask()).toMatchObject({ status: 'claimed' });
  return store.claims.claim(handle);
}

test('the control root is the account, and a later holder of its name has the next generation', async () => {
  const first = { root: 'github.com/alice', root_generation: 0, first_proved_at: '2026-11-21T10:01:02.000Z' };
  expect(await claimIn('alice/a')).toMatchObject(first);
  expect(await claimIn('alice/b')).toMatchObject({ ...first, claimed_at: '2026-11-21T10:02:04.000Z' });
  const mallory = { root: 'github.com/mallory', first_proved_at: '2026-11-21T10:03:06.000Z' };
  expect(await claimIn('mallory/a')).toMatchObject({ ...mallory, root_generation: 0 });
  const second = { root: 'github.com/alice', first_proved_at: '2026-11-21T10:04:08.000Z' };
  expect(await claimIn('alice/c')).toMatchObject({ ...second, root_generation: 1 });
  const history = await directory.context.store.claims.history(handle);
  expect(history.map(({ type, root, root_generation }) => `${type} ${root} ${root_generation}`)).toEqual([
    'activated github.com/alice 0',
    'suspended github.com/alice 0',
    'moved github.com/alice 0',
    'suspended github.com/alice 0',
    'activated github.com/mallory 0',
    'suspended github.com/mallory 0',
    'activated github.com/alice 1',
  ]);
});
