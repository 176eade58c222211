import { isLearnedOutcome, isUnanswered } from '../../asked/outcome.ts';
import { rulesOf } from '../kinds.ts';
import type { Finding, ObservationChange } from '../observation.ts';
import {
  alternatesSince,
  changes as changesOf,
  type Essence,
  essenceOf,
  isNews,
  isSame,
  keyOf,
  type State,
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

/** Without `was`, the fact was seen for the first time. */
export function toFactChange(
  { kind, subject }: Pick<Timeline, 'kind' | 'subject'>,
  was: State | undefined,
  is: State,
): ObservationChange {
  const areLearned = was && isLearnedOutcome(was.outcome) && isLearnedOutcome(is.outcome);
  return {
    kind,
    ...(subject !== undefined && { subject }),
    ...(was && {
      before: {
        ...recordedFact(was),
        seen_until: was.to,
        ...(isUnanswered(is.outcome) && is.from < is.to && { unanswered_since: is.from }),
        ...(areLearned && was.method_version !== is.method_version && { by_other_method: true as const }),
      },
    }),
    after: recordedFact(is),
  };
}

export function toChange(
  known: Timeline | undefined,
  now: Timeline,
  differences: Differences,
): ObservationChange | undefined {
  const was = known && standing(known.spans, rulesOf(known));
  const is = standing(now.spans, rulesOf(now))?.state;
  if (now.tally || !is || !isNews(was?.state, is)) return undefined;
  const all = changesOf(now.spans, rulesOf(now));
  const last = all.at(-1);
  const alternates_since = alternatesSince(all);
  const isTold = alternates_since !== undefined && alternatesSince(all.slice(0, -1)) === alternates_since;
  if (isTold && last?.is.from === is.from) return undefined;
  const before = last && last.is.from === is.from && isSame(last.is, is) ? last.was : was?.state;
  const difference = before && differences.get(keyOf(now));
  const change = toFactChange(now, before, is);
  const { details: _, ...after } = change.after;
  return {
    ...change,
    ...(alternates_since && last?.is.from === is.from && { alternates_since }),
    ...(difference && { after, items: difference.items, counts: difference.counts }),
  };
}
