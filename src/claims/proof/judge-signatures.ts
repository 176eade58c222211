import { type ChallengeFailure, findChallengeFailure } from '../../evidence/claim/challenge.ts';
import type { Capability } from '../../evidence/claim/claim.ts';
import type { SeenFacts } from '../../evidence/claim/proof-place.ts';
import { isSignedBy, toKeyText } from '../../evidence/claim/registry-key.ts';
import type { SeenKey } from '../places/place-check.ts';
import {
  type JudgedLines,
  type LineFacts,
  type LineFailure,
  toUsable,
  type UsableLine,
} from './judge-lines.ts';
import type { Proof } from './proof.ts';

type SignedLine = UsableLine & { readonly signed_by: string };

const keysOf = ({ read }: Proof): readonly SeenKey[] => (read.result === 'file' ? (read.keys ?? []) : []);

/** The line that a request signs, or why it does not count. */
function judgeSigned({ signed, ...proof }: Proof, facts: LineFacts): SignedLine | LineFailure {
  if (!signed) return 'no_challenge_in_file';
  const { text, signature, ...challenge } = signed;
  const failure: LineFailure | ChallengeFailure | undefined = facts.known.has(challenge.hash)
    ? facts.known.get(challenge.hash)
    : findChallengeFailure(challenge, facts.binding, facts);
  if (failure) return failure;
  const key = keysOf(proof).find((published) => isSignedBy(published, text, signature));
  return key ? { ...toUsable(challenge), signed_by: toKeyText(key) } : 'signature_invalid';
}

/**
 * Decides which signatures prove the claim: that of the request, and of the stored ones those whose key is still published.
 * `seen` is where the key of the newest was read.
 */
export function judgeSignatures(
  own: readonly Capability[],
  proof: Proof,
  facts: LineFacts,
): JudgedLines & { readonly seen: SeenFacts | undefined } {
  const seenOf = new Map(keysOf(proof).map((key) => [toKeyText(key), key.seen]));
  const judged = judgeSigned(proof, facts);
  const standing = own.flatMap(({ hash, issued_at, signed_by }) =>
    signed_by !== undefined && seenOf.has(signed_by) && facts.known.get(hash) === undefined
      ? [{ hash, issued_at, signed_by }]
      : [],
  );
  const fresh = typeof judged === 'string' ? [] : [judged];
  const usable = [...standing.filter(({ hash }) => hash !== fresh[0]?.hash), ...fresh];
  const newest = usable.at(-1)?.signed_by;
  return {
    usable,
    reason: typeof judged === 'string' ? judged : 'no_challenge_in_file',
    seen: newest === undefined ? undefined : seenOf.get(newest),
  };
}
