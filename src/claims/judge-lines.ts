import { capabilityHash } from '../evidence/claim/capability.ts';
import {
  type Challenge,
  type ChallengeBinding,
  type ChallengeTrouble,
  type ClaimKey,
  challengeTrouble,
  readChallenge,
} from '../evidence/claim/challenge.ts';
import type { ClaimFile } from '../evidence/claim/claim-file.ts';
import type { CapabilityRow } from '../store/store.ts';

/** What a line is judged by. `known`: capabilities of any listing whose state decides, whatever the challenge says. */
export interface LineFacts {
  readonly binding: ChallengeBinding;
  readonly ring: readonly ClaimKey[];
  readonly now_s: number;
  readonly known: readonly Pick<CapabilityRow, 'hash' | 'handle' | 'state'>[];
}

/** A line that counts. */
export interface UsableLine {
  readonly hash: string;
  readonly issued_at: string;
}

/** The lines that count, and the most telling reason why others do not. */
export interface JudgedLines {
  readonly usable: readonly UsableLine[];
  readonly trouble: ChallengeTrouble | 'no_challenge_in_file' | 'secret_published' | 'reused';
}

/** In a file for many listings most lines are foreign, so that says least. */
const mostTelling = [
  'secret_published',
  'challenge_expired',
  'challenge_from_future',
  'reused',
  'challenge_key_retired',
  'challenge_foreign',
  'no_challenge_in_file',
] as const satisfies readonly JudgedLines['trouble'][];

function judge(challenge: Challenge, burnt: ReadonlySet<string>, facts: LineFacts) {
  if (burnt.has(challenge.hash)) return 'secret_published';
  const known = facts.known.find(({ hash }) => hash === challenge.hash);
  if (known?.state === 'burnt') return 'secret_published';
  if (known && known.handle !== facts.binding.handle) return 'challenge_foreign';
  if (known?.state === 'revoked') return 'reused';
  return known ? undefined : challengeTrouble(challenge, facts.binding, facts);
}

/** Decides which lines of a claim file count for one listing. */
export function judgeLines(file: ClaimFile, facts: LineFacts): JudgedLines {
  const burnt = new Set(file.secrets.map(capabilityHash));
  const judged = file.challenges
    .flatMap((text) => readChallenge(text) ?? [])
    .map((challenge) => ({ challenge, trouble: judge(challenge, burnt, facts) }));
  const usable = judged
    .filter(({ trouble }) => trouble === undefined)
    .map(({ challenge: { hash, issued_s } }) => ({
      hash,
      issued_at: new Date(issued_s * 1000).toISOString(),
    }));
  const troubles = new Set<string>(judged.map(({ trouble }) => trouble ?? ''));
  if (burnt.size > 0) troubles.add('secret_published');
  return {
    usable,
    trouble: mostTelling.find((name) => troubles.has(name)) ?? 'no_challenge_in_file',
  };
}
