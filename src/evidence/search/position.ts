const checksums = 1024;
const milliseconds = 2 ** 43;

/**
 * The place of a listing in the search index, made of its id: listings of any age are spread evenly, so that where
 * only the first matches are read, neither age nor handle decides which. Different ids have different places.
 */
export function toPosition(id: number): number {
  const published_ms = Math.floor(id / checksums);
  return ((id % checksums) ^ (published_ms % checksums)) * milliseconds + published_ms;
}

/** The id of the listing at a place of the search index. */
export function toId(position: number): number {
  const published_ms = position % milliseconds;
  const spread = Math.floor(position / milliseconds);
  return published_ms * checksums + (spread ^ (published_ms % checksums));
}

/** How many of the windows of the search index a place is in: each holds half of the one before. */
export function windowsOf(position: number): number {
  const spread = Math.floor(position / milliseconds);
  let windows = 0;
  for (let size = checksums / 2; size >= 1 && spread < size; size /= 2) windows += 1;
  return windows;
}
