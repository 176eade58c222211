import { Problem } from '../../../problem.ts';
import { ReceiptFault } from '../../../receipt/fault.ts';
import { verifyReceipt } from '../../../receipt/verify.ts';
import type { CheckedProof, ProofFacts, ProofKind } from './proof.ts';

/** Runs a check of receipts, and answers its faults as problems. */
export async function asProblem<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof ReceiptFault) throw new Problem(error.code, { detail: error.message });
    throw error;
  }
}

async function check(value: string, { subject, source, keys }: ProofFacts): Promise<CheckedProof> {
  const { iss, sub, jti, iat } = await asProblem(verifyReceipt(value, { keys, subject, rater: source }));
  return { identity: [iss, sub, jti], issued_ms: iat * 1000, interaction_id: jti };
}

/** A JWS by a key that the rated listing published in its claim (docs/receipts.md). */
export const serviceReceipt: ProofKind = {
  name: 'Service receipt',
  shows:
    'A key that the rated listing published in its claim signed that this interaction with this rater took place; not that it went well. A service can refuse receipts to critics.',
  check,
};
