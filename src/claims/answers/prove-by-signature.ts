import type { Context } from '../../context.ts';
import { applyLook } from '../apply-look.ts';
import type { CheckedClaim } from '../checked-claim.ts';
import type { ClaimTarget } from '../checks/target.ts';
import { requireChallenge } from './challenge-response.ts';

/** A challenge and its signature, as a request sends them. */
export interface SentSignature {
  readonly challenge: string;
  readonly signature: string;
}

/**
 * Checks a signature against the keys that the shared check of the domain read, so that requests with signatures make no
 * lookups of their own; an outcome without keys stays as it is. Throws invalid_input for a malformed challenge.
 */
export async function proveBySignature(
  target: ClaimTarget,
  { checked, sent }: { checked: CheckedClaim; sent: SentSignature },
  context: Context,
): Promise<CheckedClaim> {
  const { keys, check } = checked;
  if (!keys) return checked;
  const signed = {
    ...requireChallenge(sent.challenge),
    text: sent.challenge,
    signature: sent.signature,
  };
  const read = { result: 'file', text: '', keys, pinned: check.pinned } as const;
  return applyLook(target, { read, signed }, { context, isAsked: true });
}
