import type { Listing } from '../listing.ts';

/** Whether the registry or the publisher withdrew a listing; what the operator withdrew is still theirs. */
export const isGone = ({ withdrawn }: Pick<Listing, 'withdrawn'>): boolean =>
  withdrawn === 'deleted' || withdrawn === 'optout';

/** The listing without any text of its publisher, withdrawn for this reason. */
export const toWithdrawn = (listing: Listing, withdrawn: 'deleted' | 'optout'): Listing => ({
  ...listing,
  title: undefined,
  description: '',
  status_message: undefined,
  endpoint: undefined,
  repository: undefined,
  website: undefined,
  remotes: [],
  packages: [],
  tags: [],
  facets: [],
  withdrawn,
});
