import { type ClaimKey, createChallenge, readChallenge } from '../challenge.ts';
import type { Capability, Claim, ProofPlace } from '../claim.ts';
import { continuationOf, type JudgedFacts, judge, type ReadLine } from '../judge.ts';
import { movingKey } from '../moving.ts';
import { afterMissing, isLapsed, isLiving, type RecordedPlace, secondReading_ms } from '../standing.ts';

/** `capabilities` are the active and suspended ones. */
export interface StandingClaim {
  readonly handle: string;
  readonly listing: RecordedPlace;
  readonly claim: Claim | undefined;
  readonly capabilities: readonly Capability[];
  /** See `readCosigners`. */
  readonly cosigners: readonly Capability[];
  readonly now: Date;
}

/** `isCosigned`: the challenge of the line was asked for with a capability that continues the claim. */
export interface NewLine {
  readonly place: ProofPlace;
  readonly isCosigned: boolean;
  /**
   * The published key that will sign the line, if that key also signed the line of a capability of the claim.
   */
  readonly signed_by?: string | undefined;
}

export interface Foretold {
  /**
   * The beginning of a sentence that says that the line begins a new claim; absent if the line never does.
   */
  readonly begins?: string;
  /** The same sentence with the cost of a new claim. */
  readonly cost?: string;
  /** The conditions under which the line acts, and its effect. */
  readonly acts: string;
  /** Whether the new line needs the place of the old ones, beside which it would only wait. */
  readonly oldLines: 'keep' | 'remove';
  /** Whether two checks a day or more apart must find what was asked for. */
  readonly isLater: boolean;
  /**
   * The difference that a capability of the claim would make. Absent if it would make no difference, if the
   * request presented one, or if no capability of the claim is left.
   */
  readonly hint?: string;
}

export const newClaimCost =
  'ratings that the listing has made until then can no longer be changed or withdrawn, and count as those of an ended source; ratings that it has received until then can no longer be responded to; and every earlier capability ends';

export const howToReplaceCapability =
  'Call claim_agent with rotate: true and the old capability in the Authorization header, publish the new line beside the old one, and call again without rotate. POST /api/capability/revoke with the old capability then ends it at once, and the claim goes on.';

const madeUpKey: ClaimKey = { kid: 1, secret: Buffer.alloc(32) };
const madeUpHash = 'f'.repeat(64);

/**
 * The effect of a line at the first or the second of two readings a day apart. `waits`: the line has no
 * effect at either reading.
 */
type Fate = 'continues' | 'begins' | 'begins later' | 'waits';

const isSamePlace = (claim: Claim | undefined, { kind, key }: ProofPlace) =>
  claim?.kind === kind && claim.place_key === key;

function toFacts(standing: StandingClaim, { place, isCosigned, signed_by }: NewLine) {
  const { handle, listing, claim, capabilities, cosigners, now } = standing;
  const [cosigner] = cosigners;
  const binding = { origin: '', handle, placeKey: place.key };
  const continues = claim && isCosigned && cosigner ? continuationOf(claim, cosigner) : undefined;
  const issued = { hash: madeUpHash, at_s: Math.floor(now.getTime() / 1000) };
  const challenge = readChallenge(createChallenge(madeUpKey, { ...binding, continues }, issued));
  const line: ReadLine = {
    hash: madeUpHash,
    issued_at: now.toISOString(),
    root: place.root,
    ...(challenge && { challenge }),
    ...(signed_by !== undefined && { signed_by }),
  };
  const facts: JudgedFacts = {
    handle,
    listing,
    claim,
    place,
    binding,
    cosigners,
    now,
    ring: [madeUpKey],
    pinned: true,
    agreed: new Set<string>(),
    leaked: new Set<string>(),
    known: new Map(capabilities.map((row) => [row.hash, row])),
  };
  return { facts, line };
}

/** The lines of the claim, as if a reading had found all of them. */
const oldLines = ({ claim, capabilities, now }: StandingClaim): ReadLine[] =>
  capabilities
    .filter((row) => isLiving(row) && !isLapsed(row, now))
    .map(({ hash, issued_at }) => ({ hash, issued_at, root: claim?.root ?? '' }));

function judgeAt(facts: JudgedFacts, lines: readonly ReadLine[]): Fate {
  const { counted, continues } = judge(lines, facts);
  if (!counted.some(({ hash }) => hash === madeUpHash)) return 'waits';
  return continues ? 'continues' : 'begins';
}

function judgeTwice([first, second]: readonly [JudgedFacts, JudgedFacts], lines: readonly ReadLine[]): Fate {
  const fate = judgeAt(first, lines);
  if (fate !== 'waits') return fate;
  return judgeAt(second, lines) === 'begins' ? 'begins later' : 'waits';
}

const dayAfter = (now: Date) => new Date(now.getTime() + secondReading_ms);

/**
 * The effect of a new line while the lines of the claim stay. If the claim is in force elsewhere, the new
 * line is assumed to be at both locations.
 */
function fateBeside(standing: StandingClaim, asked: NewLine): Fate {
  const { claim, now } = standing;
  const { facts, line } = toFacts(standing, asked);
  const later = { ...facts, now: dayAfter(now) };
  if (isSamePlace(claim, asked.place)) return judgeTwice([facts, later], [...oldLines(standing), line]);
  if (claim?.state !== 'claimed') return judgeTwice([facts, later], [line]);
  const agreed = new Set([`${claim.place_key} ${line.hash}`]);
  const moving = { [movingKey(asked.place, line.hash)]: now.toISOString() };
  const readTwice = { ...later, agreed, claim: { ...claim, moving } };
  return judgeTwice([{ ...facts, agreed }, readTwice], [line]);
}

/** The effect of a new line alone, while two readings find no line of the claim at the claim's location. */
function fateAlone(standing: StandingClaim, asked: NewLine): Fate {
  const { claim, now } = standing;
  const { facts, line } = toFacts(standing, asked);
  const later = dayAfter(now);
  const missed = claim && afterMissing(claim, 'line', now);
  if (!claim || !missed || isSamePlace(claim, asked.place))
    return judgeTwice([facts, { ...facts, claim: missed, now: later }], [line]);
  const ended: Claim = {
    ...afterMissing(missed, 'line', later),
    state: 'suspended',
    suspended_reason: claim.suspended_reason ?? 'proof_missing',
  };
  return judgeTwice([facts, { ...facts, claim: ended, now: later }], [line]);
}

const fatesOf = (standing: StandingClaim, line: NewLine) => ({
  beside: fateBeside(standing, line),
  alone: fateAlone(standing, line),
});

const alone = {
  same: 'It begins the new claim when two checks a day or more apart have read no line of the claim.',
  elsewhere:
    'If only the new location has the line, it begins the new claim when two checks a day or more apart have read no line of the claim at the claim’s location.',
};
const continuing = {
  same: 'The new line continues the claim: its ratings stay as they are. A capability works while its own line stays there.',
  elsewhere:
    'The new line moves and continues the claim as soon as a check reads it there: its ratings stay as they are. A capability whose own line is not there is suspended.',
};
const continuingSigned =
  'continues the claim: its ratings stay as they are. A capability works while the key that signed its line is published.';
const waiting =
  'Put it in place of all old lines: it waits while another line of the claim is still there, and lapses after 7 days.';
const moving = {
  begins: 'If both the new location and the claim’s location have the line, it begins the new claim at once.',
  'begins later':
    'If two checks a day or more apart read the line at both the new location and the claim’s location, it begins the new claim.',
};

function actsOf({ beside, alone: after }: ReturnType<typeof fatesOf>, where: keyof typeof alone): string {
  const isOver = after === 'begins';
  if (beside === 'continues')
    return isOver
      ? 'It does so as soon as a check reads it. Beside an old line that can still restore the claim, it continues the claim instead.'
      : continuing[where];
  if (isOver)
    return beside === 'waits'
      ? 'Put it in place of all old lines: it waits beside one that can still restore the claim. Otherwise it begins the new claim as soon as a check reads it.'
      : 'The line begins the new claim as soon as a check reads it.';
  return [beside === 'waits' ? waiting : moving[beside], after === 'waits' ? '' : alone[where]].join(' ');
}

function hintOf(standing: StandingClaim, { place }: NewLine): string | undefined {
  if (standing.cosigners.length === 0) return undefined;
  const { beside } = fatesOf(standing, { place, isCosigned: true });
  const how = 'in the Authorization header and rotate: true, or with one in its field on the claim page';
  if (beside === 'continues')
    return `To continue the claim instead, ask for the line with a capability of the claim ${how}.`;
  return beside === 'begins' && standing.claim?.state === 'claimed'
    ? `To begin the new claim at once, ask for the line with a capability of the claim ${how}, and put it at both locations.`
    : undefined;
}

/**
 * Foretells the effect of a signature by a key that also signed the line of a capability of the claim.
 * Returns undefined if the method is not by signature, or if such a signature does not continue the claim.
 */
function foretellSigned(standing: StandingClaim, line: NewLine): Foretold | undefined {
  if (line.place.kind !== 'registry_key') return undefined;
  const signed_by = standing.cosigners.find((row) => row.signed_by !== undefined)?.signed_by;
  const { beside, alone: after } = fatesOf(standing, { ...line, signed_by });
  if (signed_by === undefined || beside !== 'continues' || after !== 'continues') return undefined;
  const kept = { oldLines: 'keep', isLater: false } as const;
  if (line.isCosigned) return { ...kept, acts: `The new line ${continuingSigned}` };
  const begins =
    'Signed by another key than before, the new line waits until two checks a day or more apart have not found the earlier key, and then begins a new claim';
  return {
    ...kept,
    acts: `Signed by the same key, it ${continuingSigned}`,
    begins,
    cost: `${begins}: ${newClaimCost}.`,
  };
}

/** Asks `judge` about a made-up line. Returns undefined if the listing was never claimed. */
export function foretell(standing: StandingClaim, line: NewLine): Foretold | undefined {
  const { claim } = standing;
  if (!claim) return undefined;
  const signed = foretellSigned(standing, line);
  if (signed) return signed;
  const fates = fatesOf(standing, line);
  const where = isSamePlace(claim, line.place) ? 'same' : 'elsewhere';
  const acts = actsOf(fates, where);
  const isRemoving = fates.beside === 'waits' && where === 'same';
  const isLater = (isRemoving ? fates.alone : fates.beside) === 'begins later';
  const isCostly = fates.beside === 'continues' ? fates.alone === 'begins' : fates.alone !== 'waits';
  const hint = line.isCosigned ? undefined : hintOf(standing, line);
  const begins = `${fates.beside === 'continues' ? 'Alone, the new line' : 'The new line'} begins a new claim`;
  const told = { acts, oldLines: isRemoving ? 'remove' : 'keep', isLater } as const;
  return { ...told, ...(isCostly && { begins, cost: `${begins}: ${newClaimCost}.` }), ...(hint && { hint }) };
}

export const foretoldText = ({ cost, acts, hint }: Foretold): string =>
  [cost, acts, hint].filter(Boolean).join(' ');

/**
 * The effect if the registry records a new address of the repository. Returns undefined if no claim is in
 * force by that repository.
 */
export function foretellMoved(standing: StandingClaim): string | undefined {
  const { claim } = standing;
  if (claim?.state !== 'claimed' || claim.kind !== 'repository') return undefined;
  const place: ProofPlace = { kind: claim.kind, shown: '', key: `${claim.root}/moved`, root: claim.root };
  const suspended: Claim = { ...claim, state: 'suspended', suspended_reason: 'repository_changed' };
  const foretold = foretell({ ...standing, claim: suspended }, { place, isCosigned: true });
  const keeping =
    foretold?.cost === undefined
      ? 'A line for the new address continues it if the account is the same and the line was asked for within 30 days with a capability of the claim. Any other line'
      : 'A line for the new address';
  return `That suspends the claim. ${keeping} begins a new claim: ${newClaimCost}.`;
}

/** Tells whether lines of the claim that were taken away restore it once they are back. */
export const isRestorable = (standing: StandingClaim, place: ProofPlace): boolean =>
  isSamePlace(standing.claim, place) &&
  judge(oldLines(standing), toFacts(standing, { place, isCosigned: false }).facts).continues;
