import { waitsForSecondCheck } from '../evidence/listing/state/opt-out.ts';
import type { ProofOutcome } from './apply-proof.ts';
import type { ClaimCheck } from './check-results.ts';
import type { PlaceCheck, SeenKey } from './places/place-check.ts';

/** The outcome of a check; `optedOut` if the claim file withdraws the listing, `note` if it is about to. */
export interface CheckedClaim {
  readonly check: ClaimCheck;
  readonly changed: ProofOutcome['changed'];
  readonly optedOut: boolean;
  readonly note?: string;
  /** The keys that a domain publishes, where signatures prove. */
  readonly keys?: readonly SeenKey[];
  /** Whether the next call looks again at once (claims/shared-check.ts). */
  readonly isRepeatable?: boolean;
}

/** The outcome of applying what was read at a place, at a time. */
export function toChecked(
  read: PlaceCheck,
  { result, changed, seen = read.seen, optOut }: ProofOutcome,
  at: Date,
): CheckedClaim {
  const { commit, branch, pinned } = read;
  const wait_s = read.result === 'file' ? undefined : read.retry_after_s;
  const check: ClaimCheck = {
    result: result === 'optout' ? 'proven' : result,
    at: at.toISOString(),
    ...(commit && { commit }),
    ...(branch && { branch }),
    ...seen,
    pinned,
    ...(wait_s !== undefined && { retry_after_s: wait_s }),
  };
  const note = optOut?.state === 'seen' && waitsForSecondCheck(optOut);
  const keys = read.result === 'file' && read.keys;
  return { check, changed, optedOut: result === 'optout', ...(note && { note }), ...(keys && { keys }) };
}

/** Whether the host answered and the next step is the claimant's: to commit a line. */
export const isAnswered = ({ check: { result } }: CheckedClaim) =>
  result !== 'proven' && !/^(host_|redirect_|dns_no_answer)/.test(result);
