import { Problem } from '../../../problem.ts';
import { isInWindow } from '../rating-rules.ts';
import type { CheckedProof } from './proof.ts';

/** How far the time of a proof may be from that of the interaction. */
const nearInteraction_ms = 86_400_000;

/** Throws proof_expired unless a proof is of the last 90 days and was issued within a day of the interaction. */
export function requireInTime(
  { issued_ms }: CheckedProof,
  { interaction_ms, now_ms }: { readonly interaction_ms: number; readonly now_ms: number },
): void {
  const isNear = Math.abs(issued_ms - interaction_ms) <= nearInteraction_ms;
  if (!isNear || !isInWindow(issued_ms, now_ms)) throw new Problem('proof_expired');
}
