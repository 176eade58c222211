import { crc32 } from 'node:zlib';

const slotsPerMillisecond = 1024;
/** Well below 2^53 / 1024, so that probing upwards never leaves the whole numbers (year 2248). */
const latest_ms = 8_790_000_000_000;

/**
 * A listing's place in the static order: first publication (RFC 3339), then a checksum of the handle. Neither ratings
 * nor publishing more move it. A whole number from 0 to 2^53; two listings of one millisecond may share it, then the
 * store takes the next free one.
 */
export function toOrder(handle: string, firstPublishedAt: string): number {
  const published_ms = Math.min(Math.max(Date.parse(firstPublishedAt), 0), latest_ms);
  return published_ms * slotsPerMillisecond + (crc32(handle) & (slotsPerMillisecond - 1));
}
