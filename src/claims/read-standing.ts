import type { Context } from '../context.ts';
import { readCosigners } from './apply.ts';
import type { OptOut } from './claim.ts';
import type { StandingClaim } from './foretell/foretell.ts';

export interface ClaimState {
  readonly standing: StandingClaim;
  readonly optOuts: readonly OptOut[];
}

export async function readStanding(handle: string, { store, clock }: Context): Promise<StandingClaim> {
  const { repository_key, withdrawn } = (await store.listings.byHandle(handle)) ?? {};
  const now = clock();
  return {
    handle,
    listing: { repository_key, withdrawn },
    claim: await store.claims.claim(handle),
    capabilities: await store.claims.capabilities(handle),
    cosigners: await readCosigners(store, { handle, now }),
    now,
  };
}

export const readClaimState = async (handle: string, context: Context): Promise<ClaimState> => ({
  standing: await readStanding(handle, context),
  optOuts: await context.store.optOuts.of(handle),
});

export const readWithdrawing = (handle: string, { store }: Context): Promise<OptOut | undefined> =>
  store.optOuts.withdrawing(handle);
