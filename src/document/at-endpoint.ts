import { deriveOwners, holdsEndpoints } from '../listings/naming.ts';
import { namespaceHoldsEndpoint } from '../observations/known/kinds/publisher.ts';
import { recordedNow } from '../observations/known/to-observations.ts';
import type { ListingFacts } from './record.ts';

/** As if the record named no other endpoint than `url`. */
export function atEndpoint({ listing: whole, observed, ...facts }: ListingFacts, url: string): ListingFacts {
  const remotes = whole.remotes.filter((remote) => remote.url === url);
  const listing = { ...whole, endpoint: url, remotes, owners: deriveOwners({ ...whole, remotes }) };
  const isHeld = holdsEndpoints(listing) ?? null;
  return {
    ...facts,
    listing,
    imported: facts.imported.map((one) =>
      one.kind === namespaceHoldsEndpoint.kind ? { ...one, value: isHeld } : one,
    ),
    observed: observed && { ...observed, observations: recordedNow(listing, observed.observations) },
  };
}
