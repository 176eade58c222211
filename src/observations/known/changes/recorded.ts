import { isLearnedOutcome, isUnanswered } from '../../asked/outcome.ts';
import { rulesOf } from '../kinds.ts';
import type { Finding, ObservationChange } from '../observation.ts';
import {
  alternatesSince,
  changes as changesOf,
  type Essence,
  essenceOf,
  isSame,
  keyOf,
  type StoredDifference,
  standing,
  type Timeline,
} from '../timeline/timeline.ts';

export interface FoundDifference extends StoredDifference {
  readonly shown: readonly object[];
}

export type Differences = ReadonlyMap<string, FoundDifference>;

const recordedFact = ({ details, ...fact }: Essence & Pick<Finding, 'details'>) => ({
  ...essenceOf(fact),
  ...(details && { details }),
});

/** A different reason why nothing was learned is no change. */
export function toChange(
  known: Timeline | undefined,
  now: Timeline,
  differences: Differences,
): ObservationChange | undefined {
  const was = known && standing(known.spans, rulesOf(known));
  const is = standing(now.spans, rulesOf(now))?.state;
  if (now.tally || !is || (was && isSame(was.state, is))) return undefined;
  if (was && !isLearnedOutcome(was.state.outcome) && !isLearnedOutcome(is.outcome) && !is.isSilence)
    return undefined;
  const { kind, subject } = now;
  const all = changesOf(now.spans, rulesOf(now));
  const last = all.at(-1);
  const alternates_since = alternatesSince(all);
  const isTold = alternates_since !== undefined && alternatesSince(all.slice(0, -1)) === alternates_since;
  if (isTold && last?.is.from === is.from) return undefined;
  const before = last && last.is.from === is.from && isSame(last.is, is) ? last.was : was?.state;
  const isOtherMethod =
    before &&
    isLearnedOutcome(before.outcome) &&
    isLearnedOutcome(is.outcome) &&
    before.method_version !== is.method_version;
  const difference = before && differences.get(keyOf(now));
  const { details: _, ...after } = recordedFact(is);
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(before && {
      before: {
        ...recordedFact(before),
        seen_until: before.to,
        ...(isUnanswered(is.outcome) && is.from < is.to && { unanswered_since: is.from }),
        ...(isOtherMethod && { by_other_method: true as const }),
      },
    }),
    after: difference ? after : recordedFact(is),
    ...(alternates_since && last?.is.from === is.from && { alternates_since }),
    ...(difference && { items: difference.items, counts: difference.counts }),
  };
}
