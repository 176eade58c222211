import { verifyReceipt } from '../../../receipt/verify.ts';
import { asProblem } from './as-problem.ts';
import type { CheckedProof, ProofFacts, ProofKind } from './proof.ts';

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
