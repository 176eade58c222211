import { dayText } from '../core/text.ts';
import type { Words, WordsPart } from '../core/words.ts';
import { weightyChanges } from './compared/earlier-changes.ts';
import {
  allKnown,
  comparedInPart,
  isEmptyPart,
  isEqual,
  isOfLast,
  isOther,
  isOtherPart,
  keepBaseline,
  onlyLacks,
  tellsFrom,
} from './compared/parts.ts';
import { endpointAnswers } from './kinds/endpoint.ts';
import { priceOffers } from './kinds/prices/offers.ts';
import {
  type Essence,
  essenceOf,
  type Finding,
  type LastValue,
  type ObservationChange,
  type StoredObservation,
  toLast,
  withOneMore,
} from './observation.ts';
import { isLearnedOutcome, isUnanswered, type Outcome } from './outcome.ts';
import { addCheck, type CheckEnd, toTallied } from './tally.ts';
import type { PackedValue } from './values.ts';

export interface DatedFinding extends Omit<Finding, 'why' | 'open'> {
  readonly kind: string;
  readonly open?: StoredObservation['open'];
  readonly why?: readonly WordsPart[];
  readonly method_version: string;
  readonly packed?: PackedValue;
  /** The check failed on Dossier's side. The finding stands for all facts of its kind. */
  readonly isFailure?: true;
}

/** The time of a check (RFC 3339), and the name of the place from which Dossier asked. */
export interface RunStamp {
  readonly at: string;
  readonly vantage: string;
}

/** A learned fact is reported as absent only after checks have found it absent for at least this long. */
const absentAfter_ms = 3_600_000;

export const keyOf = ({ kind, subject = '' }: { readonly kind: string; readonly subject?: string }) =>
  `${kind}\n${subject}`;

const recordedFact = ({ details, hasMore, ...fact }: Essence & Pick<Finding, 'details' | 'hasMore'>) => ({
  ...essenceOf(fact),
  ...(hasMore && { is_part: true as const }),
  ...(details && { details }),
});

const isLearned = ({ outcome }: Pick<Finding, 'outcome'>) => isLearnedOutcome(outcome);

const hasValue = ({ outcome }: Pick<Finding, 'outcome'>) => outcome === 'seen';

const isSameFinding = (a: StoredObservation | LastValue, b: DatedFinding) =>
  a.method_version === b.method_version && !isOther(a, b);

const isKnown = (known: StoredObservation | LastValue, found: DatedFinding) =>
  isSameFinding(known, found) || isSameFinding(allKnown(known), found);

function fresh(
  { isFailure: _, ended: __, mayPass: ___, whole: ____, packed: _____, rule, ...said }: DatedFinding,
  { at, vantage }: RunStamp,
): StoredObservation {
  return { ...said, ...(rule === 'part' && { rule }), observed_at: at, first_seen_at: at, vantage };
}

/** Tells whether a fact without a value is a statement: `nothing`, or a quote that asks for a payment. */
const isStatement = ({ outcome, asks_for, kind }: StoredObservation) =>
  outcome === 'nothing' || (outcome === 'asks' && asks_for === 'payment' && kind === priceOffers.kind);

/**
 * Returns the last value that was seen, or else a statement. Later states without a value, such as `absent`,
 * keep this result as their `last`.
 */
function lastOf(known: StoredObservation): LastValue | undefined {
  if (hasValue(known)) return toLast(known);
  return known.last ?? (isStatement(known) ? toLast(known) : undefined);
}

const wasSeen = (known?: StoredObservation) =>
  known !== undefined && (hasValue(known) || (known.last !== undefined && hasValue(known.last)));

const earlierOf = ({ changed_from, earlier_changes }: StoredObservation | LastValue) => ({
  ...(changed_from && { changed_from }),
  ...(earlier_changes && { earlier_changes }),
});

const earlierChanges = (kind: string, before: StoredObservation | LastValue) => {
  const earlier_changes = weightyChanges(kind, before);
  return earlier_changes.length > 0 && { earlier_changes };
};

/**
 * Returns false if the difference shows no change of the fact:
 * - Nothing was learned before, or the two are equal.
 * - At least one of the two may be only a part (`isOtherPart`).
 * - The method changed, or the finding was decided by an exchange that had failed at the check before.
 */
const changedFrom = (before: StoredObservation | LastValue, found: DatedFinding) =>
  isLearned(before) &&
  !isOtherPart(found.kind, before, found) &&
  (found.by === undefined || before.open?.exchange !== found.by) &&
  before.method_version === found.method_version &&
  !isEqual(before, found) && {
    changed_from: {
      value: before.value,
      outcome: before.outcome,
      seen_until: before.observed_at,
      ...(before.value_digest && { value_digest: before.value_digest }),
      ...(before.hasMore && { is_part: true as const }),
    },
  };

/**
 * Keeps what was known, and notes that this check did not see it again. Only a check without a usable answer
 * sets `unanswered`.
 */
const missed = (
  known: StoredObservation,
  found: Pick<DatedFinding, 'why' | 'outcome' | 'response' | 'one_session_at'>,
  { at }: Pick<RunStamp, 'at'>,
): StoredObservation => {
  const { why, outcome, response, one_session_at } = found;
  const { since = at, unanswered, outcome: before } = known.missed ?? {};
  const isFirst = unanswered === undefined && isUnanswered(outcome);
  const isSameFinding = isFirst || before === outcome || !isUnanswered(outcome);
  const first = isFirst
    ? { unanswered: at, outcome }
    : { unanswered, outcome: isSameFinding ? before : undefined };
  return {
    ...known,
    ...(one_session_at && { one_session_at }),
    missed: {
      since,
      ...(first.unanswered && { unanswered: first.unanswered }),
      ...(first.outcome && { outcome: first.outcome }),
      ...(why && { why }),
      ...(response && { response }),
    },
  };
};

/** The known facts after a check whose results could not be stored. */
export const missedAll = (
  known: readonly StoredObservation[],
  { parts: why }: Words,
  stamp: Pick<RunStamp, 'at'>,
): StoredObservation[] =>
  known.map((one) =>
    one.tally || one.outcome === 'not_asked' ? one : missed(one, { why, outcome: 'not_asked' }, stamp),
  );

/**
 * A finding that is no change keeps `first_seen_at`, the earlier changes and the last value. The words for a
 * change do not depend on a part that was read later.
 */
const sinceThen = (known: StoredObservation, now: StoredObservation): StoredObservation => {
  const { last, kind } = known;
  const isLaterPart = now.hasMore === true && !known.hasMore;
  const earlier = (isLaterPart && earlierChanges(kind, known)) || earlierOf(known);
  return { ...now, ...withOneMore(known), ...earlier, ...(last && { last }) };
};

function settle(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  const last = lastOf(known) ?? (isUnanswered(found.outcome) ? toLast(known) : undefined);
  const now = fresh(found, stamp);
  // Whether an endpoint answers is dated anew after a check that failed, so that it is true since its date.
  const anew = found.kind === reachKind && (known.missed?.unanswered ?? known.absent_since) && stamp.at;
  if (isKnown(known, found)) return { ...sinceThen(known, now), ...(anew && { first_seen_at: anew }) };
  // A value that comes back is no change, except after `nothing`.
  if (last && isKnown(last, found) && known.outcome !== 'nothing')
    return {
      ...now,
      ...(found.kind !== reachKind && withOneMore(last)),
      ...earlierOf(last),
    };
  const before = hasValue(found) && last && isOfLast(last, known, found) ? last : known;
  const told = hasValue(found) ? tellsFrom(found.kind, before, found) : before;
  const earlier = { ...changedFrom(told, found), ...earlierChanges(found.kind, before) };
  return { ...now, ...earlier, ...(!hasValue(found) && last && { last }) };
}

/**
 * Joins a fact and a finding, at least one of which is a part. Returns undefined if the two are equal, or
 * differ in what both have. If the finding only lacks something, the known value stays and counts as seen in
 * part. Otherwise the finding is dated anew, because something that only the finding has may be new.
 */
function joinedInPart(known: StoredObservation, found: DatedFinding, stamp: RunStamp) {
  if (isEqual(known, found)) return undefined;
  const compared = comparedInPart(found.kind, allKnown(known), found);
  const isLess = compared === 'less' && (!known.hasMore || onlyLacks(known, found));
  if (isLess || (hasValue(known) && isEmptyPart(found))) {
    const kept = missed(known, { ...found, outcome: 'not_asked' }, stamp);
    return { ...kept, missed: { since: stamp.at, ...kept.missed, isInPart: true as const } };
  }
  if (compared === undefined || compared === 'differs') return undefined;
  const { last } = known;
  return { ...fresh(found, stamp), ...earlierChanges(found.kind, known), ...(last && { last }) };
}

function absent(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  const { absent_since = stamp.at } = known;
  return Date.parse(stamp.at) - Date.parse(absent_since) >= absentAfter_ms
    ? settle(known, found, stamp)
    : { ...missed(known, found, stamp), absent_since };
}

/** Only facts of this kind become unanswered after they were learned (`unanswered`). */
const reachKind = endpointAnswers.kind;

/**
 * A failure may be temporary. If an endpoint fails again on a later day, its fact becomes unanswered. If all
 * failures ended in the same way, the fact is dated to the first of them.
 */
function unanswered(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  const { unanswered: since, outcome } = known.missed ?? {};
  const isLater = known.kind === reachKind && since && dayText(since) < dayText(stamp.at);
  if (!isLater) return missed(known, found, stamp);
  return { ...settle(known, found, stamp), ...(outcome === found.outcome && { first_seen_at: since }) };
}

/** Keeps the last value. If the outcome is the same as before, keeps the date of the fact too. */
function stillUnanswered(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  if (!isUnanswered(known.outcome)) return settle(known, found, stamp);
  const { first_seen_at, last } = known;
  return {
    ...fresh(found, stamp),
    ...(known.outcome === found.outcome && { first_seen_at }),
    ...earlierOf(known),
    ...(last && { last }),
  };
}

function tallied(
  known: StoredObservation | undefined,
  found: DatedFinding & { readonly ended: CheckEnd },
  stamp: RunStamp,
): StoredObservation {
  const tally = addCheck(known?.tally ?? {}, stamp.at, found.ended);
  return { ...fresh({ ...found, value: toTallied(tally, stamp.at) }, stamp), tally };
}

/**
 * Keeps a fact if the exchange that decided it failed for a reason that may be temporary. If the other
 * exchange brings the same finding, the fact counts as seen again.
 */
function leftOpen(known: StoredObservation, found: DatedFinding, stamp: RunStamp) {
  const by = known.by ?? known.last?.by;
  if (!found.open || by === undefined || found.open.exchange !== by) return undefined;
  const { open, ...same } = found;
  return isSameFinding(known, found)
    ? settle(known, { ...same, by }, stamp)
    : missed(known, { why: open.why, outcome: 'not_asked' }, stamp);
}

type CompareStep = (known: StoredObservation, found: DatedFinding, stamp: RunStamp) => StoredObservation;

/**
 * `unlearned`: nothing was learned before, because Dossier did not ask or no usable answer came.
 * `unanswered`: no usable answer came, after an earlier value or statement.
 */
type KnownState = 'unlearned' | 'unanswered' | 'refused' | 'absent' | 'learned';

function classOf(known: StoredObservation): KnownState {
  if (known.outcome === 'absent' || known.outcome === 'refused') return known.outcome;
  if (isLearned(known)) return 'learned';
  return isUnanswered(known.outcome) && lastOf(known) ? 'unanswered' : 'unlearned';
}

const missedUnlessNew: CompareStep = (known, found, stamp) =>
  known.outcome === 'not_asked' ? settle(known, found, stamp) : missed(known, found, stamp);

const absentIfSeenBefore: CompareStep = (known, found, stamp) =>
  (lastOf(known) ? absent : settle)(known, found, stamp);

const always = (step: CompareStep): Readonly<Record<KnownState, CompareStep>> => ({
  unlearned: step,
  unanswered: step,
  refused: step,
  absent: step,
  learned: step,
});
const passes = { ...always(unanswered), unanswered: stillUnanswered, unlearned: stillUnanswered };

/** How a stored fact is joined with a finding, by the outcome of the check and by what was known. */
const steps: Readonly<Record<Outcome, Readonly<Record<KnownState, CompareStep>>>> = {
  seen: always(settle),
  nothing: always(settle),
  asks: always(settle),
  absent: { ...always(settle), learned: absent, unanswered: absent, refused: absentIfSeenBefore },
  otherwise: passes,
  silent: passes,
  refused: { ...always(settle), absent: missed, learned: missed },
  not_asked: { ...always(missed), unlearned: missedUnlessNew },
};

/**
 * Returns the outcome by which a finding counts. A finding that may be temporary, or has only a part of the
 * value, does not replace what was seen.
 */
function countsAs(known: StoredObservation, found: DatedFinding): Outcome {
  const { rule, outcome, mayPass } = found;
  const isSame = isEqual(known, found) || (known.last !== undefined && isEqual(known.last, found));
  if (mayPass && !isSame) return 'absent';
  const isOpen = (rule === 'passing' && !isSame) || (rule === 'part' && known.rule !== 'part');
  return (isOpen || onlyLacks(known, found)) && lastOf(known) ? 'not_asked' : outcome;
}

const isRare = ({ rule }: DatedFinding) => rule === 'rare' || rule === 'passing';

function next(known: StoredObservation | undefined, found: DatedFinding, stamp: RunStamp) {
  const { ended } = found;
  if (ended) return tallied(known, { ...found, ended }, stamp);
  if (known?.tally) return known;
  if (!known) return isRare(found) && !hasValue(found) ? undefined : fresh(found, stamp);
  // The known fact is about something else, such as a different version of the package.
  if (known.recorded !== found.recorded) return settle(known, found, stamp);
  const now =
    leftOpen(known, found, stamp) ??
    joinedInPart(known, found, stamp) ??
    steps[countsAs(known, found)][classOf(known)](known, found, stamp);
  return keepBaseline(known, now);
}

function ofFailure(failed: DatedFinding, known: readonly StoredObservation[]): DatedFinding[] {
  const ofKind = known.filter(({ kind }) => kind === failed.kind);
  if (ofKind.length === 0) return [failed];
  return ofKind.map(({ subject, recorded }) => ({
    ...failed,
    ...(subject !== undefined && { subject }),
    ...(recorded !== undefined && { recorded }),
  }));
}

/** A new value is a change from the last value that was seen, even if other states came between them. */
const seenBefore = (known: StoredObservation, now: StoredObservation): StoredObservation | LastValue =>
  hasValue(now) && known.last && hasValue(known.last) && isOfLast(known.last, known, now)
    ? known.last
    : known;

/** A difference from a state that was learned by another method is no change of the fact. */
const otherMethod = (before: StoredObservation | LastValue, now: StoredObservation) =>
  isLearned(before) &&
  isLearned(now) &&
  before.method_version !== now.method_version && { by_other_method: true as const };

function toChange(known: StoredObservation | undefined, now: StoredObservation) {
  if (now.tally || (known && !isOther(known, now))) return undefined;
  // A different reason why nothing was learned is no change of the fact.
  if (known && !isLearned(known) && !isLearned(now)) return undefined;
  const { kind, subject, first_seen_at } = now;
  const seen = known && seenBefore(known, now);
  const told = seen && hasValue(now) ? tellsFrom(kind, seen, now) : seen;
  const before = told && isEqual(told, now) ? seen : told;
  const isSilent = isUnanswered(now.outcome) && first_seen_at < now.observed_at;
  const until = {
    seen_until: before?.observed_at ?? '',
    ...(isSilent && { unanswered_since: first_seen_at }),
  };
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(before && {
      before: {
        ...recordedFact(before),
        ...until,
        ...otherMethod(before, now),
        ...(isOtherPart(kind, before, now) && { is_other_part: true as const }),
      },
    }),
    after: recordedFact(now),
  };
}

/** A known fact that no finding mentions is dropped. Its recorded changes stay in the history. */
export function compareRuns(
  known: readonly StoredObservation[],
  found: readonly DatedFinding[],
  stamp: RunStamp,
): { readonly observations: readonly StoredObservation[]; readonly changes: readonly ObservationChange[] } {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  const observations = found
    .flatMap((one) => (one.isFailure ? ofFailure(one, known) : [one]))
    .filter(
      (one) => one.rule !== 'together' || !known.some((other) => other.kind === one.kind && wasSeen(other)),
    )
    .flatMap((one) => next(byKey.get(keyOf(one)), one, stamp) ?? []);
  const changes = observations.flatMap((one) => toChange(byKey.get(keyOf(one)), one) ?? []);
  return { observations, changes };
}
