import { type Context, noteChange } from '../../context.ts';
import { toListingDocument } from '../../document/document.ts';
import type { ListingDocument } from '../../document/listing-document.ts';
import type { ListingFacts } from '../../document/record.ts';
import { isSample } from '../../listings/listing.ts';
import { readTools } from '../../observations/known/changes/history.ts';
import { dueAt_ms } from '../../observations/schedule.ts';
import { readFacts } from './listing.ts';

export const getListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toListingDocument(await readFacts(handle, context), context.config, context.clock());

const readAgain =
  'A check of this listing by Dossier is waiting or running. Read the listing again in 10 seconds.';
const readAgain_ms = 10_000;
/** For a check that is due, but was refused to this caller. */
const tryAgain_ms = 60_000;

export const readListing = async (handle: string, context: Context): Promise<ListingDocument> =>
  toReadDocument(await readFacts(handle, context), context);

/** Not for crawlers, the sample or hidden listings, nor beyond a limit. */
export function toReadDocument(facts: ListingFacts, context: Context): ListingDocument {
  const { askedChecks, caller, config, clock } = context;
  const { listing, observed: { observed_at = null, due_since } = {} } = facts;
  const document = toListingDocument(facts, config, clock());
  if (!askedChecks.read || listing.hidden || isSample(listing)) return document;
  const last = { observed_at, due_since };
  const asked = { handle: listing.handle, remotes: listing.remotes, network: caller.network, ...last };
  const isAsked = !caller.isAutomatic && askedChecks.read(asked);
  const now_ms = clock().getTime();
  // An answer from the cache requests no check.
  const due_ms = Math.max(now_ms + tryAgain_ms, dueAt_ms(listing.handle, last, config.observeInterval_s));
  noteChange(context, isAsked ? now_ms + readAgain_ms : due_ms);
  return isAsked ? { ...document, being_checked: readAgain } : document;
}

export async function readListedTools(handle: string, context: Context) {
  const { observed } = await readFacts(handle, context);
  return readTools(handle, observed?.observations ?? [], context);
}
