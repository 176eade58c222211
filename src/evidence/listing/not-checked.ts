import type { ListingRow } from '../../store/store.ts';
import type { ImportedSignal } from './listing-document.ts';

/** Facts that a buyer asks for and that no source has looked at, where the listing has something to look at. */
const askedFor: readonly (readonly [kind: string, applies: (listing: ListingRow) => boolean])[] = [
  ['endpoint_answers', ({ remotes }) => remotes !== '[]'],
  ['repository_activity', ({ repository_key }) => repository_key !== null],
  ['package_downloads', ({ packages }) => packages !== '[]'],
];

/** What is not known, said as such, so that silence is not taken for a good sign; as of the time of the snapshot. */
export const notChecked = (
  listing: ListingRow,
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
