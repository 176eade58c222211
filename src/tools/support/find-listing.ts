import type { Context } from '../../context.ts';
import { isHandle } from '../../evidence/handle.ts';
import type { Listing } from '../../evidence/listing/listing.ts';
import type { ListingFacts } from '../../evidence/listing/listing-facts.ts';
import { isSample } from '../../evidence/listing/state/sample.ts';
import { toAppeal } from '../../evidence/moderation/moderation.ts';
import { Problem } from '../../problem.ts';

const maxNear = 5;

/** What a list adds to an answer about one listing; nothing while searches and lists cannot be read. */
export const orEmpty = <T>(
  read: Promise<T[]>,
  { store, log }: Pick<Context, 'store' | 'log'>,
): Promise<T[]> =>
  read.catch((error: unknown) => {
    const isAway =
      error instanceof Problem ? error.code === 'unavailable' : store.failureOf(error) === 'unavailable';
    if (!isAway) throw error;
    log.warn({ err: error }, 'lists cannot be read; an answer about one listing is given without them');
    return [];
  });

async function refuseUnknown(handle: string, context: Context): Promise<never> {
  const near = await orEmpty(context.store.listings.near(handle, maxNear), context);
  const twin = near.find((other) => other.toLowerCase() === handle.toLowerCase());
  throw new Problem('unknown_handle', {
    near,
    ...(twin && { detail: 'A listing has this handle with different capitals: it is the first in near.' }),
  });
}

const withdrawnBy = {
  deleted: 'The registry deleted it; this is not a verdict about it.',
  optout: 'A line in its repository withdrew it; this is not a verdict about it.',
} as const;

/** No registry has deleted what no registry had. */
const sampleEnded =
  'It was part of the sample that Dossier ships with, which ended with the first import from a registry.';

async function withdrawal(listing: Listing, { store, config }: Context): Promise<string> {
  const { handle, withdrawn } = listing;
  if (withdrawn === 'deleted' && isSample(listing)) return sampleEnded;
  if (withdrawn !== 'operator') return withdrawn ? withdrawnBy[withdrawn] : '';
  const standing = await store.moderation.standing({ target_kind: 'listing', target: handle });
  const action = standing.find(({ action: name }) => name === 'withdraw');
  return action ? `${action.statement} Log index ${action.log_index}. ${toAppeal(config)}` : '';
}

async function requireShown<T>(found: T, listing: Listing, context: Context): Promise<T> {
  if (!listing.withdrawn) return found;
  throw new Problem('listing_withdrawn', { detail: await withdrawal(listing, context) });
}

/** Whether there is, or was, a listing with this handle. */
export const isKnown = async (handle: string, { store }: Context): Promise<boolean> =>
  isHandle(handle) && (await store.listings.byHandle(handle)) !== undefined;

/** Whether there is a listing with this handle that is not withdrawn. */
export async function isListed(handle: string, { store }: Context): Promise<boolean> {
  const listing = isHandle(handle) ? await store.listings.byHandle(handle) : undefined;
  return listing !== undefined && !listing.withdrawn;
}

/** Throws invalid_handle unless the text is a well-formed handle. */
export function requireHandle(handle: string): void {
  if (!isHandle(handle)) throw new Problem('invalid_handle');
}

/** A visible listing; throws invalid_handle, unknown_handle (with near ones) or listing_withdrawn. */
export async function findListing(handle: string, context: Context): Promise<Listing> {
  requireHandle(handle);
  const listing = (await context.store.listings.byHandle(handle)) ?? (await refuseUnknown(handle, context));
  return requireShown(listing, listing, context);
}

/** All facts of a shown listing; throws as findListing does. */
export async function findListingFacts(handle: string, context: Context): Promise<ListingFacts> {
  requireHandle(handle);
  const facts =
    (await context.store.listings.facts(handle, context.clock().toISOString())) ??
    (await refuseUnknown(handle, context));
  return requireShown(facts, facts.listing, context);
}
