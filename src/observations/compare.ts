import { isDeepStrictEqual } from 'node:util';
import type { Part, Words } from '../core/words.ts';
import { kinds } from './kinds.ts';
import {
  type Essence,
  type Finding,
  type LastValue,
  type ObservationChange,
  type StoredObservation,
  toLast,
} from './observation.ts';
import { isUnanswered } from './outcome.ts';
import { addCheck, type CheckEnd, toTallied } from './tally.ts';

/** What one run found of one kind, with what dates it. */
export interface DatedFinding extends Omit<Finding, 'why' | 'open'> {
  readonly kind: string;
  readonly open?: StoredObservation['open'];
  readonly why?: readonly Part[];
  readonly method_version: string;
  /** The check failed on our side: it stands for all facts of its kind. */
  readonly isFailure?: true;
}

/** When and from where a run was made, RFC 3339. */
export interface RunStamp {
  readonly at: string;
  readonly vantage: string;
}

/** After this time what is not there a second time is reported so. */
const absentAfter_ms = 3_600_000;

/** What tells the facts of a listing apart: kind and subject. */
export const keyOf = ({ kind, subject = '' }: { readonly kind: string; readonly subject?: string }) =>
  `${kind}\n${subject}`;

/** What of a fact is compared between runs, and recorded in its changes. */
export const essenceOf = ({ value, outcome, asks_for, details }: Essence) => ({
  value,
  outcome,
  ...(asks_for && { asks_for }),
  ...(details && { details }),
});

const hasValue = ({ outcome }: Pick<Finding, 'outcome'>) => outcome === 'seen';

const withDetails: ReadonlySet<string> = new Set(
  kinds.filter(({ comparesDetails }) => comparesDetails).map(({ kind }) => kind),
);

/** What the log commits to of a fact, in the form in which it is compared: details only where they are. */
export const committedOf = ({ kind, ...fact }: Essence & { readonly kind: string }) => {
  const { details, ...short } = essenceOf(fact);
  return { ...short, ...(details && withDetails.has(kind) && { details }) };
};

type Compared = Essence & Pick<Finding, 'value_digest' | 'isShort'>;

/** Whether two facts of a kind have the same essence; details that are stored shortened are not compared. */
function hasSameEssence(kind: string, a: Compared, b: Compared): boolean {
  if (a.value_digest !== b.value_digest) return false;
  const isOfDetails = withDetails.has(kind) && !a.isShort && !b.isShort;
  const [was, is] = [a, b].map(({ details, ...one }) =>
    essenceOf({ ...one, ...(details && isOfDetails && { details }) }),
  );
  return isDeepStrictEqual(was, is);
}

/** Whether two findings say the same. */
const isEqual = (a: StoredObservation | LastValue, b: DatedFinding) => hasSameEssence(b.kind, a, b);

const isSame = (a: StoredObservation | LastValue, b: DatedFinding) =>
  a.method_version === b.method_version && isEqual(a, b);

function fresh(found: DatedFinding, { at, vantage }: RunStamp): StoredObservation {
  const { onlyIfSeen: _, unlessSeen: __, mayPass: ___, isAbsence: ____, isFailure: _____, ...kept } = found;
  const { ended: ______, ...said } = kept;
  return { ...said, observed_at: at, first_seen_at: at, vantage };
}

/** Whether a finding without a value says something of the service all the same: that it states none, or asks for a payment. */
const isStatement = ({ outcome, asks_for, kind }: StoredObservation) =>
  outcome === 'nothing' || (outcome === 'asks' && asks_for === 'payment' && kind === 'price.challenge');

/** The last value that was seen of a fact; what came after it (not there, sign-in first, no price) does not end it. */
function lastOf(known: StoredObservation): LastValue | undefined {
  if (hasValue(known)) return toLast(known);
  return known.last ?? (isStatement(known) ? toLast(known) : undefined);
}

/** Whether a value of a fact was ever seen. */
const wasSeen = (known?: StoredObservation) =>
  known !== undefined && (hasValue(known) || (known.last !== undefined && hasValue(known.last)));

/** What was seen before a change; nothing where there was no answer before, or only the method of the check changed. */
const changedFrom = (before: StoredObservation | LastValue, found: DatedFinding) =>
  !isUnanswered(before.outcome) &&
  before.outcome !== 'not_asked' &&
  !('isPartial' in before) &&
  (found.by === undefined || before.open?.exchange !== found.by) &&
  before.method_version === found.method_version &&
  !isEqual(before, found) && {
    changed_from: {
      ...{ value: before.value, outcome: before.outcome, seen_until: before.observed_at },
      ...(before.value_digest && { value_digest: before.value_digest }),
    },
  };

/** What was known stands; it is noted since when, and why, checks have not seen it again. What could not be asked was not unanswered. */
const missed = (
  known: StoredObservation,
  { why, outcome }: Pick<DatedFinding, 'why' | 'outcome'>,
  { at }: Pick<RunStamp, 'at'>,
): StoredObservation => {
  const { since = at, unanswered = isUnanswered(outcome) ? at : undefined } = known.missed ?? {};
  return { ...known, missed: { since, ...(unanswered && { unanswered }), ...(why && { why }) } };
};

/** The facts of a listing after a check whose results could not be stored: each is marked as missed, with the reason. */
export const missedAll = (
  known: readonly StoredObservation[],
  { parts: why }: Words,
  stamp: Pick<RunStamp, 'at'>,
): StoredObservation[] =>
  known.map((one) =>
    one.tally || one.outcome === 'not_asked' ? one : missed(one, { why, outcome: 'not_asked' }, stamp),
  );

/** The first of the checks that an endpoint gave no answer to, if it was on an earlier day than this one. */
function unansweredSince({ kind, missed: before }: StoredObservation, { at }: RunStamp): string | undefined {
  const { unanswered } = before ?? {};
  // The kind that says whether an endpoint answers, so that only it becomes unanswered.
  return kind === 'endpoint.answers' && unanswered && unanswered.slice(0, 10) < at.slice(0, 10)
    ? unanswered
    : undefined;
}

/** What was found takes the place of what was known; the last value goes with it. */
function settle(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  const last = lastOf(known) ?? (isUnanswered(found.outcome) ? toLast(known) : undefined);
  const now = fresh(found, stamp);
  if (isSame(known, found)) {
    const { first_seen_at, changed_from, details, isShort } = known;
    // What the log commits to stays.
    const isKept = details && withDetails.has(known.kind);
    const kept = { ...(isKept && { details }), ...(isKept && isShort && { isShort }) };
    return {
      ...{ ...now, ...kept, first_seen_at },
      ...(changed_from && { changed_from }),
      ...(known.last && { last: known.last }),
    };
  }
  // What endpoints show without a price in between has changed, even if the same price comes back.
  if (last && isSame(last, found) && known.outcome !== 'nothing')
    return {
      ...{ ...now, first_seen_at: last.first_seen_at },
      ...(last.changed_from && { changed_from: last.changed_from }),
    };
  if (!hasValue(found)) return { ...now, ...changedFrom(known, found), ...(last && { last }) };
  return { ...now, ...changedFrom(last && !isEqual(last, found) ? last : known, found) };
}

/** A fact that was seen is not there: only the second such check, an hour or more after the first, says so. */
function absent(known: StoredObservation, found: DatedFinding, stamp: RunStamp): StoredObservation {
  const { absent_since = stamp.at } = known;
  return Date.parse(stamp.at) - Date.parse(absent_since) >= absentAfter_ms
    ? settle(known, found, stamp)
    : { ...missed(known, found, stamp), absent_since };
}

function tallied(
  known: StoredObservation | undefined,
  found: DatedFinding,
  ended: CheckEnd,
  stamp: RunStamp,
) {
  const tally = addCheck(known?.tally ?? {}, stamp.at, ended);
  const { why, ...said } = toTallied(tally, stamp.at);
  return { ...fresh({ ...found, ...said, why: why.parts }, stamp), tally };
}

/** What was decided by an exchange that now has no lasting answer stands, unless the other one says the same. */
function leftOpen(known: StoredObservation, found: DatedFinding, stamp: RunStamp) {
  const by = known.by ?? known.last?.by;
  if (!found.open || by === undefined || found.open.exchange !== by) return undefined;
  const { open, ...same } = found;
  return isSame(known, found)
    ? settle(known, { ...same, by }, stamp)
    : missed(known, { why: open.why, outcome: 'not_asked' }, stamp);
}

function next(known: StoredObservation | undefined, found: DatedFinding, stamp: RunStamp) {
  const last = known && lastOf(known);
  if (found.ended !== undefined) return tallied(known, found, found.ended, stamp);
  if (known?.tally) return known;
  const isPassing =
    isUnanswered(found.outcome) || found.outcome === 'not_asked' || found.outcome === 'refused';
  if (!hasValue(found) && found.onlyIfSeen && !wasSeen(known))
    return known && known.outcome !== 'not_asked' && isPassing ? missed(known, found, stamp) : undefined;
  if (!known) return fresh(found, stamp);
  // What was seen was of something else: another version of a package.
  if (known.recorded !== found.recorded) return settle(known, found, stamp);
  const left = leftOpen(known, found, stamp);
  if (left) return left;
  const [wasChecked, isChecked] = [known, found].map(({ outcome }) => outcome !== 'not_asked');
  if (wasChecked && !isChecked) return missed(known, found, stamp);
  if (!wasChecked && isChecked && !last) return fresh(found, stamp);
  const isOpen = found.mayPass || (found.isPartial && !known.isPartial);
  const mayPass = isUnanswered(found.outcome) || (isOpen && last !== undefined);
  if (mayPass && !isUnanswered(known.outcome)) {
    const first_seen_at = unansweredSince(known, stamp);
    return first_seen_at ? { ...settle(known, found, stamp), first_seen_at } : missed(known, found, stamp);
  }
  const isAbsent = found.isAbsence ? !isEqual(known, found) : found.outcome === 'absent';
  if (isAbsent && last && known.outcome !== 'absent') return absent(known, found, stamp);
  return settle(known, found, stamp);
}

/** A check that failed on our side found nothing out about the facts of its kind that are known. */
function ofFailure(failed: DatedFinding, known: readonly StoredObservation[]): DatedFinding[] {
  const ofKind = known.filter(({ kind }) => kind === failed.kind);
  if (ofKind.length === 0) return [failed];
  const { onlyIfSeen: _, ...failure } = failed;
  return ofKind.map(({ subject, recorded }) => ({
    ...failure,
    ...(subject !== undefined && { subject }),
    ...(recorded !== undefined && { recorded }),
  }));
}

function toChange(known: StoredObservation | undefined, now: StoredObservation) {
  if (now.tally || (known && hasSameEssence(now.kind, known, now))) return undefined;
  const { kind, subject, first_seen_at } = now;
  const isSilent = isUnanswered(now.outcome) && first_seen_at < now.observed_at;
  const until = {
    seen_until: known?.observed_at ?? '',
    ...(isSilent && { unanswered_since: first_seen_at }),
  };
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(known && { before: { ...essenceOf(known), ...until } }),
    after: essenceOf(now),
  };
}

/**
 * Joins what a run found with what was known: the observations to store, and what changed. A kind of fact only says what it
 * found of each of its subjects, in every run:
 *
 * - `seen`, `nothing`, `asks`, `refused`: takes the place of what was known. The last value stays stored behind it: when it
 *   returns, `first_seen_at` goes on, and when another comes, `changed_from` names it;
 * - `absent`, and a value that `isAbsence`: the same, but of a fact that was seen only at the second check, an hour or more after the first;
 * - `silent`, `otherwise`, and a finding that `mayPass`: changes nothing; what was seen keeps its value and dates and gets `missed`.
 *   Only endpoint.answers becomes so itself, once there was no answer on two days;
 * - `not_asked`: changes nothing either; it says that of a fact of which nothing is known;
 * - `open`: changes nothing that the exchange decided which it names; what that exchange says later is no change of it;
 * - `isPartial`: is shown only while nothing else was seen, and what comes after it is no change of it;
 * - `unlessSeen`: that no subject of its kind has a value, said until one was seen to have;
 * - `onlyIfSeen`: there is no such fact until a value of it was seen, and after that there always is; what was said before stands meanwhile;
 * - `ended`: is counted, and no change. A check that does not say how it ended is not counted.
 *
 * A fact of a subject that a run says nothing about (a package that is no longer recorded) is dropped; the history keeps it.
 */
export function compareRuns(
  known: readonly StoredObservation[],
  found: readonly DatedFinding[],
  stamp: RunStamp,
): { readonly observations: readonly StoredObservation[]; readonly changes: readonly ObservationChange[] } {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  const observations = found
    .flatMap((one) => (one.isFailure ? ofFailure(one, known) : [one]))
    .filter((one) => !one.unlessSeen || !known.some((other) => other.kind === one.kind && wasSeen(other)))
    .flatMap((one) => next(byKey.get(keyOf(one)), one, stamp) ?? []);
  const changes = observations.flatMap((one) => toChange(byKey.get(keyOf(one)), one) ?? []);
  return { observations, changes };
}
