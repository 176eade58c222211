import type { Advisory } from '../../../asked/packages/osv.ts';

const mostVersions = 20;
const mostRanges = 4;
const mostEvents = 8;
const longestVersion = 40;
const mostDetails_bytes = 5 * 1024;

function toStored({ versions, ranges, ...said }: Advisory): Advisory {
  const isShort = (text: string | undefined) => (text?.length ?? 0) <= longestVersion;
  const someVersions = versions.filter(isShort).slice(0, mostVersions);
  const isShortRange = ({ events }: Advisory['ranges'][number]) =>
    events.length <= mostEvents && events.every((one) => Object.values(one).every(isShort));
  const someRanges = ranges.filter(isShortRange).slice(0, mostRanges);
  const isPart = someVersions.length < versions.length || someRanges.length < ranges.length;
  return { ...said, ranges: someRanges, versions: someVersions, ...(isPart && { is_part: true as const }) };
}

export function firstStored(found: readonly Advisory[]): Advisory[] {
  const stored = found.map(toStored);
  let left_bytes = mostDetails_bytes;
  const end = stored.findIndex((one) => {
    left_bytes -= Buffer.byteLength(JSON.stringify(one));
    return left_bytes < 0;
  });
  return end < 0 ? stored : stored.slice(0, end);
}

export const merged = (found: readonly Advisory[]): Advisory[] =>
  [...Map.groupBy(found, ({ id }) => id).values()].map((all) => ({
    ...(all[0] as Advisory),
    ...(all.some((one) => one.is_part) && { is_part: true as const }),
    ranges: all.flatMap(({ ranges }) => ranges),
    versions: all.flatMap(({ versions }) => versions),
  }));
