import type { Context } from '../context.ts';
import type { ChallengeBinding } from '../evidence/claim/challenge.ts';
import { claimMethods, placesOf } from '../evidence/claim/methods/index.ts';
import type { ClaimKind, ProofPlace } from '../evidence/claim/proof-place.ts';
import type { Listing } from '../evidence/listing/listing.ts';
import { toRepositoryKey } from '../evidence/repository-key.ts';
import { Problem } from '../problem.ts';
import type { RepositoryPlace } from '../repositories/place.ts';
import type { ListingReads } from '../store/contract/listings.ts';

/** A listing that can be claimed, and the place to check. */
export interface ClaimTarget {
  readonly listing: Listing;
  readonly place: ProofPlace;
}

/**
 * A listing as a check needs it: one that an opt-out line withdrew has the repository of that line, if it stands in one. Undefined for an
 * unknown one and for one that the registry deleted or the operator withdrew.
 */
export async function findToCheck(handle: string, reads: ListingReads): Promise<Listing | undefined> {
  const listing = await reads.byHandle(handle);
  if (listing?.withdrawn === 'deleted' || listing?.withdrawn === 'operator') return undefined;
  if (listing?.withdrawn !== 'optout') return listing;
  const optOut = await reads.optOut(handle);
  return { ...listing, repository: optOut?.kind === 'repository' ? optOut.place : undefined };
}

/** What the challenges of a listing are bound to. */
export const bindingOf = ({ listing, place }: ClaimTarget, { config }: Context): ChallengeBinding => ({
  origin: config.publicUrl,
  handle: listing.handle,
  placeKey: place.key,
});

/** The name of a place, under which its checks are stored. */
export const toSubject = ({ kind, key }: ProofPlace): string => `${kind} ${key}`;

/** The repository that an address names in any spelling that the import takes for one; undefined unless its host is configured. */
export function readablePlace(
  address: string,
  { repositories }: Pick<Context, 'repositories'>,
): RepositoryPlace | undefined {
  const key = toRepositoryKey(address);
  return (
    repositories.place(address) ?? (key === undefined ? undefined : repositories.place(`https://${key}`))
  );
}

const toKey = (context: Context) => (address: string) => readablePlace(address, context)?.key;

/** Where a claim of this listing is checked by one method; undefined if it cannot be. */
export function findTarget(listing: Listing, kind: ClaimKind, context: Context): ClaimTarget | undefined {
  const place = claimMethods[kind].placeOf(listing, toKey(context));
  return place && { listing, place };
}

/** The recorded repository, where every claim is checked unless another method is asked for. Throws no_repository, host_unsupported or listing_withdrawn. */
export function toRepositoryTarget(listing: Listing, context: Context): ClaimTarget {
  const target = findTarget(listing, 'repository', context);
  if (!target && listing.withdrawn === 'optout') throw new Problem('listing_withdrawn');
  if (!target) throw new Problem(listing.repository ? 'host_unsupported' : 'no_repository');
  return target;
}

/** The places where a listing can be claimed here, the easiest first. */
export const findMethods = (
  { handle, repository }: { readonly handle: string; readonly repository?: string | undefined },
  context: Context,
): ProofPlace[] => placesOf({ handle, repository }, toKey(context));
