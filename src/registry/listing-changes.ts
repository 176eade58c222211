import { isDeepStrictEqual } from 'node:util';
import type { NewChange } from '../evidence/change.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import { type ListingChange, withdraws } from './page-plan.ts';

/** What a record says, by the names of the listing document. */
const recordedFields = [
  'title',
  'description',
  'version',
  'origin_status',
  'status_message',
  'endpoint',
  'remotes',
  'packages',
  'repository',
  'website',
  'tags',
] as const;

const differing = (before: Listing, after: Listing) =>
  recordedFields.filter((field) => !isDeepStrictEqual(before[field], after[field]));

function toChange(change: ListingChange, at: string): NewChange | undefined {
  const { listing, known } = change;
  const { handle, version } = listing;
  if (withdraws(change)) return { type: 'listing.withdrawn', handle, at, data: { reason: 'deleted' } };
  if (listing.withdrawn) return undefined;
  if (!known) return { type: 'listing.new', handle, at, data: { version } };
  // What an opt-out line withdrew is restored by an event of its own.
  if (known.withdrawn && change.optOut) return undefined;
  if (known.withdrawn) return { type: 'listing.restored', handle, at, data: { version } };
  const fields = differing(known, listing);
  if (fields.length === 0) return undefined;
  const left_tags = known.tags
    .map(({ tag }) => tag)
    .filter((tag) => !listing.tags.some((one) => one.tag === tag));
  const data = { version, fields, ...(left_tags.length > 0 && { left_tags }) };
  return { type: 'listing.changed', handle, at, data };
}

/** What a page of an import changes, as entries of the stream of changes. */
export const toChanges = (listings: readonly ListingChange[], at: string): NewChange[] =>
  listings.map((change) => toChange(change, at)).filter((change) => change !== undefined);
