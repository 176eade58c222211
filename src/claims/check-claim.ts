import type { Context } from '../context.ts';
import type { ChallengeBinding } from '../evidence/claim/challenge.ts';
import { Problem } from '../problem.ts';
import type { RepositoryLook, RepositoryPlace } from '../repositories/reader.ts';
import type { ListingRow } from '../store/store.ts';
import { applyProof, type ProofOutcome } from './apply-proof.ts';
import { type KeepOutcome, shareLook } from './check-lock.ts';
import type { ClaimCheck } from './check-results.ts';
import { claimKeyRing } from './keys.ts';
import { throttleOf } from './throttle.ts';

/** A listing that can be claimed, and where. */
export interface ClaimTarget {
  readonly listing: ListingRow & { readonly repository: string };
  readonly place: RepositoryPlace;
}

/** What a check came to; `optedOut` where the file withdrew the listing. */
export interface CheckedClaim {
  readonly check: ClaimCheck;
  readonly changed: ProofOutcome['changed'];
  readonly optedOut: boolean;
}

/** What challenges of a listing are bound to. */
export const bindingOf = ({ listing, place }: ClaimTarget, { config }: Context): ChallengeBinding => ({
  origin: config.publicUrl,
  handle: listing.handle,
  repositoryKey: place.key,
});

/** Where a listing can be claimed. Throws no_repository or host_unsupported. */
export function toClaimTarget(listing: ListingRow, { repositories }: Context): ClaimTarget {
  const { repository } = listing;
  if (!repository) throw new Problem('no_repository');
  const place = repositories.place(repository);
  if (!place) throw new Problem('host_unsupported');
  return { listing: { ...listing, repository }, place };
}

function toChecked(look: RepositoryLook, { result, changed }: ProofOutcome, at: Date): CheckedClaim {
  const { commit, branch, pinned } = look;
  const wait = look.result === 'file' ? undefined : look.retry_after_s;
  const check: ClaimCheck = {
    result: result === 'optout' ? 'proven' : result,
    at: at.toISOString(),
    ...(commit && { commit }),
    ...(branch && { branch }),
    pinned,
    ...(wait !== undefined && { retry_after_s: wait }),
  };
  return { check, changed, optedOut: result === 'optout' };
}

async function lookAndApply(target: ClaimTarget, context: Context, keep: KeepOutcome): Promise<CheckedClaim> {
  const { repositories, store, config } = context;
  const ring = await claimKeyRing(context);
  const look = await repositories.look(target.place, config.claimFile);
  const now = context.clock();
  const binding = bindingOf(target, context);
  return store.write(async (tx) => {
    const current = await tx.listings.row(target.listing.handle);
    if (!current || current.withdrawn || current.repository !== target.listing.repository)
      throw new Problem('unavailable', { detail: 'The listing changed during the check.', retry_after_s: 1 });
    const checked = toChecked(look, await applyProof(tx, { ...target, look, binding, ring, now }), now);
    await keep(tx, checked);
    return checked;
  });
}

/**
 * Looks at the recorded repository and lets the file decide, at most once per listing and 30 seconds whatever node is
 * asked; in between the last check is answered, with the seconds to wait for the next.
 */
export async function checkClaim(target: ClaimTarget, context: Context): Promise<CheckedClaim> {
  const subject = { handle: target.listing.handle, repositoryKey: target.place.key };
  const key = `${subject.handle}\n${subject.repositoryKey}`;
  const throttle = throttleOf<CheckedClaim>(context.repositories);
  const { outcome, isFresh, wait_s } = await throttle.run(key, context.clock().getTime(), () =>
    shareLook(subject, context, (keep) => lookAndApply(target, context, keep)),
  );
  if (isFresh) return outcome;
  const retry_after_s = Math.max(wait_s, outcome.check.retry_after_s ?? 0);
  const check = outcome.check.result === 'proven' ? outcome.check : { ...outcome.check, retry_after_s };
  return { ...outcome, check, changed: 'none' };
}
