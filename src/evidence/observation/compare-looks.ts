import { isDeepStrictEqual } from 'node:util';
import type { Finding, ObservationChange, StoredObservation } from './observation.ts';

/** What one look found of one kind, with what dates it. */
export interface DatedFinding extends Finding {
  readonly kind: string;
  readonly method_version: string;
}

/** When and from where a look was made, RFC 3339. */
export interface LookStamp {
  readonly at: string;
  readonly vantage: string;
}

/** Looks without an answer after which a fact that was observed is reported as unreachable. */
const missesUntilUnreachable = 2;

/** What tells the facts of a listing apart: kind and subject. */
export const keyOf = ({ kind, subject = '' }: { readonly kind: string; readonly subject?: string }) =>
  `${kind}\n${subject}`;

/** What of a fact is compared between looks, and recorded in its changes. */
export const essenceOf = ({ value, state, details }: Pick<Finding, 'value' | 'state' | 'details'>) => ({
  value,
  state,
  ...(details && { details }),
});

const isSame = (a: StoredObservation, b: DatedFinding) =>
  a.method_version === b.method_version && isDeepStrictEqual(essenceOf(a), essenceOf(b));

const fresh = (found: DatedFinding, { at, vantage }: LookStamp): StoredObservation => ({
  ...found,
  observed_at: at,
  first_seen_at: at,
  vantage,
});

/** A look without an answer keeps what was seen before, and counts; the second one in a row says so. */
function missed(known: StoredObservation, found: DatedFinding, stamp: LookStamp): StoredObservation {
  const missed_at = [...(known.missed_at ?? []), stamp.at];
  return missed_at.length < missesUntilUnreachable
    ? { ...known, missed_at }
    : { ...fresh(found, stamp), ...replaced(known, found) };
}

/** What was known before a fact changed; nothing if only the method of the check did. */
const replaced = (known: StoredObservation, found: DatedFinding) =>
  !isDeepStrictEqual(essenceOf(known), essenceOf(found)) && {
    changed_from: { value: known.value, state: known.state, seen_until: known.observed_at },
  };

function next(
  known: StoredObservation | undefined,
  found: DatedFinding,
  stamp: LookStamp,
): StoredObservation {
  if (!known) return fresh(found, stamp);
  if (found.state === 'unreachable' && known.state !== 'unreachable') return missed(known, found, stamp);
  if (!isSame(known, found)) return { ...fresh(found, stamp), ...replaced(known, found) };
  const { first_seen_at, changed_from } = known;
  return { ...fresh(found, stamp), first_seen_at, ...(changed_from && { changed_from }) };
}

function toChange(
  known: StoredObservation | undefined,
  now: StoredObservation,
): ObservationChange | undefined {
  if (known && isDeepStrictEqual(essenceOf(known), essenceOf(now))) return undefined;
  const { kind, subject } = now;
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(known && { before: { ...essenceOf(known), seen_until: known.observed_at } }),
    after: essenceOf(now),
  };
}

/**
 * Joins what a look found with what was known: the observations to store, and what changed. A fact keeps
 * `first_seen_at` while its value, state and details stay the same. A fact that a look did not find again (a package that
 * is no longer recorded) is dropped; the history keeps it.
 */
export function compareLooks(
  known: readonly StoredObservation[],
  found: readonly DatedFinding[],
  stamp: LookStamp,
): { readonly observations: readonly StoredObservation[]; readonly changes: readonly ObservationChange[] } {
  const byKey = new Map(known.map((one) => [keyOf(one), one]));
  const observations = found.map((finding) => next(byKey.get(keyOf(finding)), finding, stamp));
  const changes = observations
    .map((one) => toChange(byKey.get(keyOf(one)), one))
    .filter((change) => change !== undefined);
  return { observations, changes };
}
