import { capabilityHash } from '../../evidence/claim/capability.ts';
import {
  type Challenge,
  type ChallengeBinding,
  type ChallengeFailure,
  type ClaimKey,
  findChallengeFailure,
  readChallenge,
} from '../../evidence/claim/challenge.ts';
import type { ClaimFile } from '../../evidence/claim/claim-file.ts';

/** Why a line does not count. */
export type LineFailure =
  | ChallengeFailure
  | 'no_challenge_in_file'
  | 'secret_published'
  | 'reused'
  | 'repository_id_mismatch'
  | 'signature_invalid'
  | 'claimed_elsewhere';

/**
 * What decides about a line. `known`: by hash, why the line of a stored capability does not count, undefined if it
 * does; this overrides the challenge.
 */
export interface LineFacts {
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now_s: number;
  readonly known: ReadonlyMap<string, LineFailure | undefined>;
}

/** A line that proves the claim. */
export interface UsableLine {
  readonly hash: string;
  readonly issued_at: string;
  /** The published key that signed it, where a signature proves it. */
  readonly signed_by?: string;
}

/** A challenge of which no reason is known why it should not count. */
export const toUsable = ({ hash, issued_s }: Challenge): UsableLine => ({
  hash,
  issued_at: new Date(issued_s * 1000).toISOString(),
});

/** The usable lines, and the most specific reason why others are not. */
export interface JudgedLines {
  readonly usable: readonly UsableLine[];
  readonly reason: LineFailure;
}

/** Most specific first. A file for many listings has mostly foreign lines, so that being foreign says little. */
const bySpecificity = [
  'secret_published',
  'repository_id_mismatch',
  'claimed_elsewhere',
  'signature_invalid',
  'challenge_expired',
  'challenge_from_future',
  'reused',
  'challenge_key_retired',
  'challenge_foreign',
  'no_challenge_in_file',
] as const satisfies readonly LineFailure[];

function judge(challenge: Challenge, leaked: ReadonlySet<string>, facts: LineFacts) {
  if (leaked.has(challenge.hash)) return 'secret_published';
  if (facts.known.has(challenge.hash)) return facts.known.get(challenge.hash);
  return findChallengeFailure(challenge, facts.binding, facts);
}

/** Decides which lines of a claim file prove the claim of one listing. */
export function judgeLines(file: ClaimFile, facts: LineFacts): JudgedLines {
  const leaked = new Set(file.secrets.map(capabilityHash));
  const judged = file.challenges
    .flatMap((text) => readChallenge(text) ?? [])
    .map((challenge) => ({ challenge, reason: judge(challenge, leaked, facts) }));
  const usable = judged
    .filter(({ reason }) => reason === undefined)
    .map(({ challenge }) => toUsable(challenge));
  const reasons = new Set<string>(judged.map(({ reason }) => reason ?? ''));
  if (leaked.size > 0) reasons.add('secret_published');
  return {
    usable,
    reason: bySpecificity.find((name) => reasons.has(name)) ?? 'no_challenge_in_file',
  };
}
