import { crc32 } from 'node:zlib';

const slotsPerMillisecond = 1024;
/** In the year 2248; well below 2^53 / 1024, so that ranks stay safe integers when the next free one is taken. */
const latest_ms = 8_790_000_000_000;

/**
 * The static rank of a listing, which orders every list: the oldest publication that was read (RFC 3339), then a checksum of the handle.
 * Ratings and new versions never change it. A whole number from 0 to 2^53. Two listings first published in the same
 * millisecond may have the same rank; the store then takes the next free one.
 */
export function toStaticRank(handle: string, firstPublishedAt: string): number {
  const published_ms = Math.min(Math.max(Date.parse(firstPublishedAt), 0), latest_ms);
  return published_ms * slotsPerMillisecond + (crc32(handle) & (slotsPerMillisecond - 1));
}
