import { capabilityId } from '../core/keys/capability.ts';
import { type Challenge, type ChallengeBinding, findChallengeFailure } from './challenge.ts';
import type { Capability, Claim, ClaimEvent, SeenFacts } from './claim.ts';
import type { LocationReading } from './locations.ts';
import {
  afterFound,
  firstReading,
  isAt,
  isBroken,
  isHeld,
  isLapsed,
  isLiving,
  isRipe,
  isSecondReading,
  type RecordedPlace,
} from './standing.ts';

/**
 * A claim line: one that was read, one that a request signs, or that of a stored capability whose signing key
 * is still published.
 */
export interface ReadLine {
  readonly hash: string;
  readonly issued_at: string;
  /** Absent for the line of a stored capability. */
  readonly challenge?: Challenge;
  readonly root: string;
  readonly seen?: SeenFacts | undefined;
  readonly signed_by?: string;
  /** No published key made the signature that was sent for the line. */
  readonly isForged?: true;
}

/** `challenge_foreign` says little, because a file may have lines for many listings. */
const bySpecificity = [
  'secret_published',
  'claimed_elsewhere',
  'line_waits',
  'signature_invalid',
  'challenge_expired',
  'challenge_lapsed',
  'challenge_from_future',
  'reused',
  'challenge_key_retired',
  'challenge_foreign',
  'no_challenge_in_file',
] as const;
export type LineFailure = (typeof bySpecificity)[number];

export interface JudgedFacts extends Pick<LocationReading, 'place' | 'binding' | 'ring' | 'now'> {
  readonly listing: RecordedPlace;
  readonly handle: string;
  readonly pinned: boolean;
  readonly leaked: ReadonlySet<string>;
  readonly claim: Claim | undefined;
  /** By hash: all of the listing that have not ended, and every stored one that a line names. */
  readonly known: ReadonlyMap<string, Capability>;
  readonly cosigners: readonly Capability[];
}

/**
 * A line that counts, or that counts once it need not wait. `old`: its capability has worked. `added`: its
 * challenge was asked for with a capability that continues the claim, or was signed with the key that signed
 * the challenge of such a capability, or it has waited long enough. Both `old` and `added` lines have the
 * control root of the claim. `new`: any other.
 */
interface CountedLine extends ReadLine {
  readonly power: 'old' | 'added' | 'new';
}

export interface ClaimVerdict {
  /** The newest first. */
  readonly counted: readonly ReadLine[];
  /** If false, the lines that count begin a new claim. */
  readonly continues: boolean;
  /** At the location of the claim. */
  readonly waiting: readonly ReadLine[];
  readonly reasons: ReadonlyMap<string, LineFailure>;
  readonly reason: LineFailure;
}

/** Further lines wait only after one of these was removed, so that nobody can flood the log. */
const mostWaiting = 5;
/** Of more suspended capabilities, those that were suspended first end for good. */
const mostSuspended = 64;

/** Binds a challenge to the claim that it continues and to the presented capability. */
export const continuationOf = (
  { root, root_generation }: Claim,
  { id }: Pick<Capability, 'id'>,
): ChallengeBinding['continues'] => `${root} ${root_generation} ${id}`;

/** Undefined if the challenge is valid and was asked for with one of the cosigners. */
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
  return isLapsed(capability, now) ? 'challenge_lapsed' : undefined;
}

type JudgedLine = ReadLine & { readonly power: CountedLine['power'] | LineFailure };

function judgeKnown(line: ReadLine, capability: Capability, facts: JudgedFacts): JudgedLine['power'] {
  const { claim, place, pinned, now } = facts;
  const failure = findKnownFailure(capability, facts);
  if (failure !== undefined) return failure;
  if (claim?.root !== line.root) return 'new';
  if (capability.state !== 'waiting') return 'old';
  const isFound = pinned && isAt(claim, place) && claim.state === 'claimed';
  return isFound && isRipe(afterFound(capability, now), now) ? 'added' : 'new';
}

function judgeNew(line: ReadLine, facts: JudgedFacts): JudgedLine['power'] {
  const { challenge, signed_by, root } = line;
  const { claim, binding, cosigners, ring, now } = facts;
  if (!challenge) return 'no_challenge_in_file';
  const at = { ring, now_s: Math.floor(now.getTime() / 1000) };
  const added = claim?.root === root ? 'added' : 'new';
  const failure = findChallengeFailure(challenge, binding, at);
  const isSameSigner = signed_by !== undefined && cosigners.some((row) => row.signed_by === signed_by);
  if (!failure) return isSameSigner ? added : 'new';
  if (failure !== 'challenge_foreign' || !claim) return failure;
  return findContinuingFailure(challenge, { ...facts, claim }, at) ?? added;
}

const isCounting = (line: JudgedLine): line is CountedLine =>
  line.power === 'old' || line.power === 'added' || line.power === 'new';

function judgeLine(line: ReadLine, facts: JudgedFacts): JudgedLine {
  if (facts.leaked.has(line.hash)) return { ...line, power: 'secret_published' };
  const known = facts.known.get(line.hash);
  const judged = { ...line, power: known ? judgeKnown(line, known, facts) : judgeNew(line, facts) };
  return line.isForged && isCounting(judged) ? { ...line, power: 'signature_invalid' } : judged;
}

/** Why no line of the reading begins a new claim. */
function findHindrance({ claim, listing, place, pinned, known, now }: JudgedFacts): LineFailure | undefined {
  if (!claim || !isHeld(claim, { capabilities: known.values(), listing, now })) return undefined;
  if (!isAt(claim, place)) return 'claimed_elsewhere';
  return pinned && isSecondReading(claim.missing?.line, now) ? undefined : 'line_waits';
}

function findContinuing(usable: readonly CountedLine[], { claim }: JudgedFacts): readonly CountedLine[] {
  const continuing = usable.filter(({ power }) => power !== 'new');
  const isLeft = continuing.some(({ power }) => power === 'old') || (claim && !isBroken(claim));
  return isLeft ? continuing : [];
}

/** A new claim has lines of one control root only. */
const ofNewestRoot = (newestFirst: readonly CountedLine[]) =>
  newestFirst.filter(({ root }) => root === newestFirst[0]?.root);

function findWaiting(lines: readonly ReadLine[], { known }: JudgedFacts): readonly ReadLine[] {
  const isKnown = ({ hash }: ReadLine) => known.get(hash)?.state === 'waiting';
  return lines.toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a))).slice(0, mostWaiting);
}

const byAge = (a: ReadLine, b: ReadLine) =>
  a.issued_at === b.issued_at ? (a.hash < b.hash ? -1 : 1) : a.issued_at < b.issued_at ? 1 : -1;

/** docs/claims.md, "What a line does" */
export function judge(lines: readonly ReadLine[], facts: JudgedFacts): ClaimVerdict {
  const judged = lines.map((line) => judgeLine(line, facts)).sort(byAge);
  const usable = judged.filter(isCounting);
  const continuing = findContinuing(usable, facts);
  const continues = continuing.length > 0;
  const hindrance = continues ? 'line_waits' : findHindrance(facts);
  const counted = continues ? continuing : hindrance === undefined ? ofNewestRoot(usable) : [];
  const others = judged.filter((line) => !(counted as readonly JudgedLine[]).includes(line));
  const isOfClaim = ({ root }: ReadLine) => root === facts.claim?.root;
  const whyNot = (line: JudgedLine): LineFailure => {
    if (!isCounting(line)) return line.power as LineFailure;
    return isOfClaim(line) ? (hindrance ?? 'line_waits') : 'claimed_elsewhere';
  };
  const reasons = new Map(others.map((line) => [line.hash, whyNot(line)]));
  const all = new Set<string>([...reasons.values(), ...(facts.leaked.size > 0 ? ['secret_published'] : [])]);
  return {
    counted,
    continues,
    waiting:
      hindrance === 'line_waits' ? findWaiting(others.filter(isCounting).filter(isOfClaim), facts) : [],
    reasons,
    reason: bySpecificity.find((name) => all.has(name)) ?? 'no_challenge_in_file',
  };
}

/** A line that two readings a day apart do not find is gone. */
function afterMissed(row: Capability, now: Date): Capability {
  const missed = { ...row, found_days: undefined, missing_at: firstReading(row.missing_at, now) };
  if (!isSecondReading(missed.missing_at, now)) return missed;
  return { ...missed, state: row.state === 'waiting' ? 'revoked' : 'suspended', ended_at: now.toISOString() };
}

const toWaiting = ({ hash, issued_at, signed_by }: ReadLine, { handle, now }: JudgedFacts): Capability => ({
  hash,
  id: capabilityId(hash),
  handle,
  state: 'waiting',
  issued_at,
  activated_at: now.toISOString(),
  found_days: undefined,
  missing_at: undefined,
  ended_at: undefined,
  signed_by,
});

function afterCounted(line: ReadLine, facts: JudgedFacts): Capability {
  const known = facts.known.get(line.hash) ?? toWaiting(line, facts);
  const { state, activated_at, signed_by } = known;
  return {
    ...known,
    state: 'active',
    activated_at: state === 'waiting' ? facts.now.toISOString() : activated_at,
    found_days: undefined,
    missing_at: undefined,
    ended_at: undefined,
    signed_by: line.signed_by ?? signed_by,
  };
}

/** If no line counts, only lines that wait change, and the reading must be of the location of the claim. */
export function afterReading(
  { counted, continues, waiting }: ClaimVerdict,
  facts: JudgedFacts,
): Capability[] {
  const { known, handle, pinned, now } = facts;
  const working = counted.map((line) => afterCounted(line, facts));
  const found = waiting.map((line) => afterFound(known.get(line.hash) ?? toWaiting(line, facts), now));
  const read = [...working, ...(pinned ? found : [])];
  const isProven = working.length > 0;
  const after = (row: Capability): Capability => {
    if (isProven && !continues) return { ...row, state: 'revoked', ended_at: now.toISOString() };
    const isMissed = pinned && (row.state === 'waiting' || (row.state === 'active' && isProven));
    return isMissed ? afterMissed(row, now) : row;
  };
  const others = [...known.values()].filter(
    (row) => row.handle === handle && !read.some(({ hash }) => hash === row.hash),
  );
  const rest = others.map((row) => (isLiving(row) || row.state === 'waiting' ? after(row) : row));
  const suspended = rest.filter(({ state }) => state === 'suspended');
  const first = suspended.toSorted((a, b) => ((a.ended_at ?? '') < (b.ended_at ?? '') ? 1 : -1));
  const ended = new Set(first.slice(mostSuspended));
  return [...read, ...rest.map((row) => (ended.has(row) ? { ...row, state: 'revoked' as const } : row))];
}

/** Undefined if the log gets no entry. */
export function toEvent(
  { continues }: ClaimVerdict,
  after: readonly Capability[],
  { claim, place, known }: JudgedFacts,
): Extract<ClaimEvent['type'], 'activated' | 'rotated' | 'restored' | 'moved'> | undefined {
  if (!continues) return 'activated';
  if (!isAt(claim, place)) return 'moved';
  if (claim?.state === 'suspended') return 'restored';
  const changes = after.map(({ hash, state }) => `${known.get(hash)?.state} ${state}`);
  if (changes.some((change) => /^(undefined|waiting) active$|^active suspended$/.test(change)))
    return 'rotated';
  return changes.includes('suspended active') ? 'restored' : undefined;
}
