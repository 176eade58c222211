import type { Listing } from './listing.ts';

/** The listing without any text of its publisher, withdrawn for this reason. */
export const toWithdrawn = (listing: Listing, withdrawn: NonNullable<Listing['withdrawn']>): Listing => ({
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
