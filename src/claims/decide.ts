import type { ClaimEvent } from '../evidence/listing/listing-document.ts';
import type { CapabilityRow, ClaimRow } from '../store/store.ts';
import type { UsableLine } from './judge-lines.ts';

/** What is known when lines that count were found in the file. */
export interface ProofFacts {
  readonly usable: readonly UsableLine[];
  readonly claim: ClaimRow | undefined;
  readonly capabilities: readonly CapabilityRow[];
  readonly repositoryKey: string;
  /** Only a file read at HEAD's commit may take a capability away. */
  readonly pinned: boolean;
}

/** What to write: which capabilities come and go, by hash, and the event that tells of it, if any. */
export interface ProofDecision {
  readonly event: Extract<ClaimEvent['type'], 'activated' | 'rotated' | 'restored'> | undefined;
  readonly added: readonly UsableLine[];
  readonly back: readonly string[];
  readonly gone: readonly string[];
  /** Capabilities of a repository that the listing no longer records; they never come back. */
  readonly retired: readonly string[];
}

/** One per deployment or maintainer; the newest win. */
const activeLimit = 5;

const newestFirst = (a: UsableLine, b: UsableLine) =>
  a.issued_at === b.issued_at ? (a.hash < b.hash ? -1 : 1) : a.issued_at < b.issued_at ? 1 : -1;

function toEvent(
  { claim, repositoryKey }: ProofFacts,
  changes: Pick<ProofDecision, 'added' | 'back' | 'gone'>,
): ProofDecision['event'] {
  if (claim?.repository_key !== repositoryKey) return 'activated';
  if (claim.state === 'suspended') return 'restored';
  if (changes.added.length > 0) return 'rotated';
  if (changes.back.length > 0) return 'restored';
  return changes.gone.length > 0 ? 'rotated' : undefined;
}

/** The file is the authority: its newest five lines are active, the others are not. */
export function decideProof(facts: ProofFacts): ProofDecision {
  const { usable, claim, capabilities, repositoryKey, pinned } = facts;
  const isSame = claim?.repository_key === repositoryKey;
  const live = capabilities.filter(({ state }) => state === 'active' || state === 'suspended');
  const own = isSame ? live : [];
  const active = own.filter(({ state }) => state === 'active');
  const kept = pinned ? [] : active.filter(({ hash }) => !usable.some((line) => line.hash === hash));
  const chosen = [...usable, ...kept].sort(newestFirst).slice(0, activeLimit);
  const isChosen = ({ hash }: { hash: string }) => chosen.some((line) => line.hash === hash);
  const changes = {
    added: chosen.filter(({ hash }) => !own.some((row) => row.hash === hash)),
    back: own.filter((row) => row.state === 'suspended' && isChosen(row)).map(({ hash }) => hash),
    gone: active.filter((row) => !isChosen(row)).map(({ hash }) => hash),
  };
  return {
    ...changes,
    event: toEvent(facts, changes),
    retired: isSame ? [] : live.map(({ hash }) => hash),
  };
}
