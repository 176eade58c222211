import { day_ms, dayText } from '../../../core/text.ts';
import { type Tally, toTallied } from './tally.ts';
import { keyOf, type Timeline, until } from './timeline.ts';

export interface KeptTimelines {
  readonly timelines: readonly Timeline[];
  readonly former?: readonly Timeline[] | undefined;
  readonly checks?: readonly number[] | undefined;
}

const mostFormer_bytes = 512 * 1024;

export function toFormer({ timelines, former = [] }: KeptTimelines, kept: readonly Timeline[], at: string) {
  const keys = new Set(kept.map(keyOf));
  const ended = [...former, ...timelines.map((one) => ({ ...one, ended: at }))];
  let left_bytes = mostFormer_bytes;
  const newest = ended.toReversed().filter((one) => {
    if (keys.has(keyOf(one))) return false;
    left_bytes -= JSON.stringify(one).length;
    return left_bytes >= 0;
  });
  return newest.length > 0 ? newest.toReversed() : undefined;
}

const talliedFor_days = 90;

/** Older days are stored as long as a day that can be asked for counts them. */
function tallyUntil(timeline: Timeline, tally: Tally, at: string, checks: readonly number[]): Timeline[] {
  const days = Object.keys(tally).sort();
  const oldest = dayText(new Date(Date.parse(days.at(-1) ?? '') - talliedFor_days * day_ms));
  const until_day = dayText(at);
  const counted = days.filter((day) => day <= until_day);
  const last = counted.at(-1);
  const [span] = timeline.spans;
  if (!span || last === undefined || until_day <= oldest) return [];
  const then = Object.fromEntries(counted.map((day) => [day, tally[day] ?? {}]));
  const check = checks.findLast((one) => dayText(new Date(one)) === last);
  const to = check === undefined ? `${last}T00:00:00.000Z` : new Date(check).toISOString();
  return [{ ...timeline, tally: then, spans: [{ ...span, value: toTallied(then, to), from: to, to }] }];
}

export const allKept = ({ timelines, former = [] }: KeptTimelines): readonly Timeline[] => [
  ...former,
  ...timelines,
];

export const aliveAt = (kept: KeptTimelines, at: string): readonly Timeline[] =>
  allKept(kept).flatMap(({ ended, away: gaps = [], elsewhere: others = [], ...one }) => {
    const away = gaps.filter(([from]) => from <= at);
    const elsewhere = others.filter((other) => other.at <= at);
    const isAway = (ended !== undefined && ended <= at) || away.some(([, until]) => until > at);
    return isAway ? [] : [{ ...one, away, elsewhere }];
  });

export const timelinesUntil = (kept: KeptTimelines, at: string): Timeline[] => {
  const { checks = [] } = kept;
  return aliveAt(kept, at).flatMap((one) => {
    if (one.tally) return tallyUntil(one, one.tally, at, checks);
    const spans = until(one.spans, at, checks);
    return spans.length > 0 ? [{ ...one, spans }] : [];
  });
};
