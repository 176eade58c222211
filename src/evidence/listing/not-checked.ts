import type { Listing } from './listing.ts';
import type { ImportedSignal } from './listing-document.ts';

/** Facts that matter to buyers, and the listings that they apply to. */
const relevantFacts: readonly (readonly [kind: string, applies: (listing: Listing) => boolean])[] = [
  ['endpoint_answers', ({ remotes }) => remotes.length > 0],
  ['repository_activity', ({ repository_key }) => repository_key !== undefined],
  ['package_downloads', ({ packages }) => packages.length > 0],
];

/** A `not_checked` signal for each relevant fact that no source has checked, so that its absence is not taken for a good sign. */
export const notChecked = (
  listing: Listing,
  known: readonly ImportedSignal[],
  observed_at: string,
): ImportedSignal[] =>
  relevantFacts
    .filter(([kind, applies]) => applies(listing) && !known.some((signal) => signal.kind === kind))
    .map(([kind]) => ({
      kind,
      value: null,
      source: 'no source',
      observed_at,
      method_version: 'none/1',
      state: 'not_checked',
    }));
