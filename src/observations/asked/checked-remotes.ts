import type { Listing } from '../../listings/listing.ts';

const mostRemotes = 10;

/** One for each address: the first that is not SSE, or else the first. */
export function withCheckedRemotes<Of extends Pick<Listing, 'remotes'>>(listing: Of): Of {
  const { remotes } = listing;
  const checkedFirst = remotes.toSorted((a, b) => Number(a.type === 'sse') - Number(b.type === 'sse'));
  const byUrl = new Map(checkedFirst.toReversed().map((remote) => [remote.url, remote]));
  const one = remotes.filter((remote) => byUrl.get(remote.url) === remote);
  return { ...listing, remotes: one.slice(0, mostRemotes) };
}
