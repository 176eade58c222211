import { capabilityHash } from '../evidence/claim/capability.ts';
import {
  type Challenge,
  type ChallengeBinding,
  type ChallengeFailure,
  type ClaimKey,
  findChallengeFailure,
  readChallenge,
} from '../evidence/claim/challenge.ts';
import type { Capability } from '../evidence/claim/claim.ts';
import type { ClaimFile } from '../evidence/claim/claim-file.ts';

/** What decides about a line. `known`: stored capabilities of any listing, whose state overrides the challenge. */
export interface LineFacts {
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now_s: number;
  readonly known: readonly Pick<Capability, 'hash' | 'handle' | 'state'>[];
}

/** A line that proves the claim. */
export interface UsableLine {
  readonly hash: string;
  readonly issued_at: string;
}

/** The usable lines, and the most specific reason why others are not. */
export interface JudgedLines {
  readonly usable: readonly UsableLine[];
  readonly reason: ChallengeFailure | 'no_challenge_in_file' | 'secret_published' | 'reused';
}

/** Most specific first. A file for many listings has mostly foreign lines, so that being foreign says little. */
const bySpecificity = [
  'secret_published',
  'challenge_expired',
  'challenge_from_future',
  'reused',
  'challenge_key_retired',
  'challenge_foreign',
  'no_challenge_in_file',
] as const satisfies readonly JudgedLines['reason'][];

function judge(challenge: Challenge, leaked: ReadonlySet<string>, facts: LineFacts) {
  if (leaked.has(challenge.hash)) return 'secret_published';
  const known = facts.known.find(({ hash }) => hash === challenge.hash);
  if (known?.state === 'leaked') return 'secret_published';
  if (known && known.handle !== facts.binding.handle) return 'challenge_foreign';
  if (known?.state === 'revoked') return 'reused';
  return known ? undefined : findChallengeFailure(challenge, facts.binding, facts);
}

/** Decides which lines of a claim file prove the claim of one listing. */
export function judgeLines(file: ClaimFile, facts: LineFacts): JudgedLines {
  const leaked = new Set(file.secrets.map(capabilityHash));
  const judged = file.challenges
    .flatMap((text) => readChallenge(text) ?? [])
    .map((challenge) => ({ challenge, reason: judge(challenge, leaked, facts) }));
  const usable = judged
    .filter(({ reason }) => reason === undefined)
    .map(({ challenge: { hash, issued_s } }) => ({
      hash,
      issued_at: new Date(issued_s * 1000).toISOString(),
    }));
  const reasons = new Set<string>(judged.map(({ reason }) => reason ?? ''));
  if (leaked.size > 0) reasons.add('secret_published');
  return {
    usable,
    reason: bySpecificity.find((name) => reasons.has(name)) ?? 'no_challenge_in_file',
  };
}
