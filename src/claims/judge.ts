import { type Challenge, type ChallengeBinding, findChallengeFailure } from './challenge.ts';
import type { Capability, Claim, ClaimEvent, SeenFacts } from './claim.ts';
import type { LocationReading } from './locations.ts';
import { movingKey } from './moving.ts';
import {
  isBroken,
  isEndedBy,
  isHeld,
  isLapsed,
  isLiving,
  isSecondReading,
  type RecordedPlace,
} from './standing.ts';

/**
 * A claim line: one that was read, one that a request signs, or the line of a stored capability whose signing
 * key is still published.
 */
export interface ReadLine {
  readonly hash: string;
  readonly issued_at: string;
  /** Absent for the line of a stored capability whose signing key is still published. */
  readonly challenge?: Challenge;
  readonly root: string;
  readonly seen?: SeenFacts | undefined;
  /** See `Capability`. */
  readonly signed_by?: string;
  /** Set if a signature was sent for the line and no published key made that signature. */
  readonly isForged?: true;
}

/**
 * The most specific reason comes first. `challenge_foreign` says little, because a file may have lines for
 * many listings.
 */
const bySpecificity = [
  'secret_published',
  'place_was_missing',
  'claimed_elsewhere',
  'claim_not_ended',
  'move_not_confirmed',
  'capability_needed',
  'signature_invalid',
  'challenge_expired',
  'challenge_lapsed',
  'challenge_replaced',
  'challenge_from_future',
  'reused',
  'challenge_key_retired',
  'challenge_foreign',
  'no_challenge_in_file',
] as const;
export type LineFailure = (typeof bySpecificity)[number];

export interface JudgedFacts extends Pick<LocationReading, 'place' | 'agreed' | 'binding' | 'ring' | 'now'> {
  readonly listing: RecordedPlace;
  readonly handle: string;
  /** See `LocationRead`. */
  readonly pinned: boolean;
  readonly leaked: ReadonlySet<string>;
  readonly claim: Claim | undefined;
  /**
   * All active and suspended capabilities of the listing, and every stored capability that a line names, by
   * hash.
   */
  readonly known: ReadonlyMap<string, Capability>;
  /** See `readCosigners`. */
  readonly cosigners: readonly Capability[];
}

/**
 * A line that counts, or that counts once it need not wait. `old`: its capability is stored. `cosigned`: its
 * challenge was asked for with a capability that continues the claim, or was signed with the key that signed
 * the challenge of such a capability. Both `old` and `cosigned` lines have the control root of the claim.
 * `new`: any other.
 */
export interface CountedLine extends ReadLine {
  readonly power: 'old' | 'cosigned' | 'new';
}

export interface ClaimVerdict {
  readonly counted: readonly CountedLine[];
  /** If false, the lines that count begin a new claim. */
  readonly continues: boolean;
  readonly reasons: ReadonlyMap<string, LineFailure>;
  readonly reason: LineFailure;
}

/** How many capabilities can work at the same time, for example one for each deployment. */
const mostActive = 5;
/**
 * Leaves room for 59 suspended capabilities. If there are more, those that were suspended first end for good.
 */
const mostLiving = 64;

/** The text that binds a challenge to the claim that it continues and to the presented capability. */
export const continuationOf = (
  { root, root_generation }: Claim,
  { id }: Pick<Capability, 'id'>,
): ChallengeBinding['continues'] => `${root} ${root_generation} ${id}`;

/** Returns undefined if the challenge is valid and was asked for with one of the cosigners. */
export function findContinuingFailure(
  challenge: Challenge,
  { claim, binding, cosigners }: Pick<JudgedFacts, 'binding' | 'cosigners'> & { readonly claim: Claim },
  at: Parameters<typeof findChallengeFailure>[2],
): ReturnType<typeof findChallengeFailure> {
  for (const capability of cosigners) {
    const continues = continuationOf(claim, capability);
    const failure = findChallengeFailure(challenge, { ...binding, continues }, at);
    if (failure !== 'challenge_foreign') return failure;
  }
  return 'challenge_foreign';
}

function findKnownFailure(
  capability: Capability,
  { claim, place, now, ...facts }: JudgedFacts,
): LineFailure | undefined {
  const { handle, state } = capability;
  if (state === 'leaked') return 'secret_published';
  if (handle !== facts.handle) return 'challenge_foreign';
  if (state === 'revoked') return 'reused';
  if (claim?.place_key !== place.key) return 'challenge_foreign';
  if (claim.lost_at !== undefined) return 'place_was_missing';
  return isLapsed(capability, now) ? 'challenge_lapsed' : undefined;
}

const isSameSigner = ({ signed_by }: ReadLine, { cosigners }: JudgedFacts) =>
  signed_by !== undefined && cosigners.some((row) => row.signed_by === signed_by);

type JudgedLine = ReadLine & { readonly power: CountedLine['power'] | LineFailure };

/** Judges a line whose capability is not stored. */
function judgeNew(line: ReadLine, facts: JudgedFacts): JudgedLine['power'] {
  const { claim, binding, ring, now } = facts;
  if (!line.challenge) return 'no_challenge_in_file';
  const at = { ring, now_s: Math.floor(now.getTime() / 1000) };
  const isOfClaim = claim?.root === line.root;
  const failure = findChallengeFailure(line.challenge, binding, at);
  if (!failure) return isOfClaim && isSameSigner(line, facts) ? 'cosigned' : 'new';
  if (failure !== 'challenge_foreign' || !claim) return failure;
  return findContinuingFailure(line.challenge, { ...facts, claim }, at) ?? (isOfClaim ? 'cosigned' : 'new');
}

function judgeLine(line: ReadLine, facts: JudgedFacts): JudgedLine {
  if (facts.leaked.has(line.hash)) return { ...line, power: 'secret_published' };
  const known = facts.known.get(line.hash);
  const own = facts.claim?.root === line.root ? 'old' : 'new';
  const power = known ? (findKnownFailure(known, facts) ?? own) : judgeNew(line, facts);
  return { ...line, power: line.isForged && isCounting(power) ? 'signature_invalid' : power };
}

const isCounting = (power: JudgedLine['power']): power is CountedLine['power'] =>
  power === 'old' || power === 'cosigned' || power === 'new';

function isByHolder({ challenge }: ReadLine, facts: JudgedFacts & { readonly claim: Claim }): boolean {
  const at = { ring: facts.ring, now_s: Math.floor(facts.now.getTime() / 1000) };
  return challenge !== undefined && findContinuingFailure(challenge, facts, at) === undefined;
}

/**
 * Returns the reason why a line has to wait before it begins a new claim, or undefined if it need not wait.
 */
function findHindrance(line: CountedLine, facts: JudgedFacts): LineFailure | undefined {
  const { hash } = line;
  const { claim, listing, place, agreed, pinned, known, now } = facts;
  if (!claim || !isHeld(claim, { capabilities: known.values(), listing, now })) return undefined;
  if (claim.kind === place.kind && claim.place_key === place.key) {
    if (!pinned) return 'capability_needed';
    return isEndedBy(claim, 'line', now) ? undefined : 'claim_not_ended';
  }
  if (!agreed.has(`${claim.place_key} ${hash}`))
    return claim.state === 'claimed' ? 'claimed_elsewhere' : 'claim_not_ended';
  const isConfirmed = isSecondReading(claim.moving?.[movingKey(place, hash)], now);
  return isConfirmed || isByHolder(line, { ...facts, claim }) ? undefined : 'move_not_confirmed';
}

function findContinuing(usable: readonly CountedLine[], { claim }: JudgedFacts): readonly CountedLine[] {
  const old = usable.filter(({ power }) => power === 'old');
  const cosigned = usable.filter(({ power }) => power === 'cosigned');
  return claim && (old.length > 0 || !isBroken(claim)) ? [...old, ...cosigned] : [];
}

const byAge = (a: Pick<ReadLine, 'issued_at' | 'hash'>, b: Pick<ReadLine, 'issued_at' | 'hash'>) =>
  a.issued_at === b.issued_at ? (a.hash < b.hash ? -1 : 1) : a.issued_at < b.issued_at ? 1 : -1;

/** A new claim has only lines of one control root, which is that of the newest line that need not wait. */
function findNew(usable: readonly CountedLine[], facts: JudgedFacts) {
  const free = usable.filter((line) => findHindrance(line, facts) === undefined);
  const [newest] = free.toSorted(byAge);
  return free.filter(({ root }) => root === newest?.root).map((line) => ({ ...line, power: 'new' as const }));
}

/** Decides what the lines of one reading prove (docs/claims.md, "Which line continues a claim"). */
export function judge(lines: readonly ReadLine[], facts: JudgedFacts): ClaimVerdict {
  const judged = lines.map((line) => judgeLine(line, facts));
  const usable = judged.filter((line): line is CountedLine => isCounting(line.power));
  const continuing = findContinuing(usable, facts);
  const continues = continuing.length > 0;
  const counted = continues ? continuing : findNew(usable, facts);
  const chosen = new Set(
    counted
      .toSorted(byAge)
      .slice(0, mostActive)
      .map(({ hash }) => hash),
  );
  const isCounted = ({ hash }: ReadLine) => counted.some((line) => line.hash === hash);
  const whyNot = (line: JudgedLine): LineFailure => {
    if (!isCounting(line.power)) return line.power;
    if (isCounted(line)) return 'challenge_replaced';
    const hindrance = findHindrance(line as CountedLine, facts) ?? 'capability_needed';
    return continues && hindrance === 'claim_not_ended' ? 'capability_needed' : hindrance;
  };
  const others = judged.filter(({ hash }) => !chosen.has(hash));
  const reasons = new Map(others.map((line) => [line.hash, whyNot(line)]));
  const all = new Set<string>([...reasons.values(), ...(facts.leaked.size > 0 ? ['secret_published'] : [])]);
  return {
    counted,
    continues,
    reasons,
    reason: bySpecificity.find((name) => all.has(name)) ?? 'no_challenge_in_file',
  };
}

/** The capability states that change, by hash. A capability that becomes active comes with its line. */
export function toWanted(verdict: ClaimVerdict, facts: JudgedFacts) {
  const { counted, continues } = verdict;
  const living = [...facts.known.values()].filter((row) => row.handle === facts.handle && isLiving(row));
  const lineOf = new Map(counted.map((line) => [line.hash, line]));
  const staysUnseen = continues && !facts.pinned;
  const unseen = living.filter(({ hash, state }) => staysUnseen && state === 'active' && !lineOf.has(hash));
  const chosen = new Set(
    [...counted, ...unseen]
      .sort(byAge)
      .slice(0, mostActive)
      .map(({ hash }) => hash),
  );
  const ended = living
    .filter(({ hash }) => !chosen.has(hash))
    .toSorted((a, b) => ((a.ended_at ?? '~') < (b.ended_at ?? '~') ? 1 : -1))
    .map(
      ({ hash }, at) => [hash, continues && at < mostLiving - mostActive ? 'suspended' : 'revoked'] as const,
    );
  const wanted = [...[...chosen].map((hash) => [hash, 'active'] as const), ...ended];
  return new Map(
    wanted
      .filter(([hash, state]) => facts.known.get(hash)?.state !== state)
      .map(([hash, state]) => {
        const line = lineOf.get(hash);
        return [hash, { state, line: state === 'active' ? line : undefined }] as const;
      }),
  );
}

/** Returns undefined if the log gets no entry. */
export function toEvent(
  { continues }: ClaimVerdict,
  wanted: ReturnType<typeof toWanted>,
  { claim, place, known }: JudgedFacts,
): Extract<ClaimEvent['type'], 'activated' | 'rotated' | 'restored' | 'moved'> | undefined {
  const isElsewhere = claim?.kind !== place.kind || claim.place_key !== place.key;
  if (isElsewhere && (continues || claim?.state === 'claimed')) return 'moved';
  if (!continues) return 'activated';
  if (claim?.state === 'suspended') return 'restored';
  const changes = [...wanted].filter(([, { state }]) => state !== 'revoked');
  if (changes.some(([hash]) => !known.has(hash))) return 'rotated';
  if (changes.some(([, { state }]) => state === 'active')) return 'restored';
  return changes.length > 0 ? 'rotated' : undefined;
}
