import type { Capability, Claim } from '../../evidence/claim/claim.ts';
import type { ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { ClaimEvent } from '../../evidence/listing/listing-document.ts';
import type { UsableLine } from './judge-lines.ts';

/** What is known once the file has usable lines. */
export interface ProofFacts {
  readonly usable: readonly UsableLine[];
  readonly claim: Claim | undefined;
  readonly capabilities: readonly Capability[];
  readonly place: ProofPlace;
  /** Whether the commit last proven can still be read, so that lines known before count (continuity.ts). */
  readonly isContinuous: boolean;
  /** Only a file read at HEAD's commit can suspend a capability. */
  readonly pinned: boolean;
}

/** What to write: the capabilities that change, by hash, and the event that reports it, if any. */
export interface ProofDecision {
  /** Whether the known claim goes on; else this is a new one. */
  readonly continues: boolean;
  readonly event: Extract<ClaimEvent['type'], 'activated' | 'rotated' | 'restored' | 'moved'> | undefined;
  readonly added: readonly UsableLine[];
  /** Known capabilities whose challenge a published key signed. */
  readonly signed: readonly Required<UsableLine>[];
  readonly restored: readonly string[];
  readonly suspended: readonly string[];
  /** Capabilities of a claim that does not go on; they never work again. */
  readonly revoked: readonly string[];
}

/** Active capabilities of one listing: one for each deployment or maintainer. */
const activeLimit = 5;

const newestFirst = (a: UsableLine, b: UsableLine) =>
  a.issued_at === b.issued_at ? (a.hash < b.hash ? -1 : 1) : a.issued_at < b.issued_at ? 1 : -1;

/**
 * Whether a proof continues the known claim: in the same repository, which still has the commit last proven, or by the same
 * domain, and for a suspended claim by a line known before (docs/trust.md section 1, "Continuity").
 */
function isContinued({ claim, usable, capabilities, place, isContinuous }: ProofFacts): boolean {
  if (claim?.place_key !== place.key || claim.root !== place.root || !isContinuous) return false;
  return (
    claim.state === 'claimed' || usable.some((line) => capabilities.some(({ hash }) => hash === line.hash))
  );
}

function toEvent(
  { claim, place }: ProofFacts,
  changes: Pick<ProofDecision, 'continues' | 'added' | 'restored' | 'suspended'>,
): ProofDecision['event'] {
  const isMove = claim?.state === 'claimed' && claim.kind !== place.kind;
  if (isMove) return 'moved';
  if (!changes.continues) return 'activated';
  if (claim?.state === 'suspended') return 'restored';
  if (changes.added.length > 0) return 'rotated';
  if (changes.restored.length > 0) return 'restored';
  return changes.suspended.length > 0 ? 'rotated' : undefined;
}

/** Decides by the file alone: its newest five usable lines are active, all others are not. */
export function decideProof(facts: ProofFacts): ProofDecision {
  const { usable, capabilities, pinned } = facts;
  const continues = isContinued(facts);
  const live = capabilities.filter(({ state }) => state === 'active' || state === 'suspended');
  const own = continues ? live : [];
  const active = own.filter(({ state }) => state === 'active');
  const unseen = pinned ? [] : active.filter(({ hash }) => !usable.some((line) => line.hash === hash));
  const chosen = [...usable, ...unseen].sort(newestFirst).slice(0, activeLimit);
  const isChosen = ({ hash }: { hash: string }) => chosen.some((line) => line.hash === hash);
  const changes = {
    continues,
    added: chosen.filter(({ hash }) => !own.some((row) => row.hash === hash)),
    restored: own.filter((row) => row.state === 'suspended' && isChosen(row)).map(({ hash }) => hash),
    suspended: active.filter((row) => !isChosen(row)).map(({ hash }) => hash),
  };
  return {
    ...changes,
    signed: chosen
      .filter((line): line is Required<UsableLine> => 'signed_by' in line && line.signed_by !== undefined)
      .filter(({ hash }) => own.some((row) => row.hash === hash)),
    event: toEvent(facts, changes),
    revoked: continues ? [] : live.map(({ hash }) => hash),
  };
}
