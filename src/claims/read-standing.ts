import type { Context } from '../context.ts';
import { readCosigners } from './apply.ts';
import type { OptOut } from './claim.ts';
import type { StandingClaim } from './foretell/foretell.ts';

export interface ClaimState {
  readonly standing: StandingClaim;
  readonly optOuts: readonly OptOut[];
}

export async function readClaimState(handle: string, { store, clock }: Context): Promise<ClaimState> {
  const { claims, listings, optOuts } = store;
  const claim = await claims.claim(handle);
  const capabilities = await claims.capabilities(handle);
  const { repository_key, withdrawn } = (await listings.byHandle(handle)) ?? {};
  const listing = { repository_key, withdrawn };
  const cosigners = await readCosigners(store, { handle, now: clock() });
  const standing = { handle, listing, claim, capabilities, cosigners, now: clock() };
  return { standing, optOuts: await optOuts.of(handle) };
}

export const readWithdrawing = (handle: string, { store }: Context): Promise<OptOut | undefined> =>
  store.optOuts.withdrawing(handle);
