import type { Listing } from './listing.ts';
import type { ImportedSignal } from './listing-document.ts';

/** Facts that a buyer asks for and that no source has looked at, where the listing has something to look at. */
const askedFor: readonly (readonly [kind: string, applies: (listing: Listing) => boolean])[] = [
  ['endpoint_answers', ({ remotes }) => remotes.length > 0],
  ['repository_activity', ({ repository_key }) => repository_key !== undefined],
  ['package_downloads', ({ packages }) => packages.length > 0],
];

/** What is not known, said as such, so that silence is not taken for a good sign; as of the time of the snapshot. */
export const notChecked = (
  listing: Listing,
  known: readonly ImportedSignal[],
  observed_at: string,
): ImportedSignal[] =>
  askedFor
    .filter(([kind, applies]) => applies(listing) && !known.some((signal) => signal.kind === kind))
    .map(([kind]) => ({
      kind,
      value: null,
      source: 'no source',
      observed_at,
      method_version: 'none/1',
      state: 'not_checked',
    }));
