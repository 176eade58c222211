import type { Context } from '../../context.ts';
import { placesOf } from '../../evidence/claim/methods/index.ts';
import type { ClaimKind, ProofPlace } from '../../evidence/claim/proof-place.ts';
import type { Listing } from '../../evidence/listing/listing.ts';
import { Problem } from '../../problem.ts';
import { type ClaimTarget, findTarget, toRepositoryTarget } from '../checks/target.ts';
import type { ClaimRequest } from './answer-claim.ts';

/** The places where a listing can be claimed here, the easiest first. */
export const findWays = (
  { handle, repository }: { readonly handle: string; readonly repository?: string | undefined },
  { repositories }: Context,
): ProofPlace[] => placesOf({ handle, repository }, (address) => repositories.place(address)?.key);

const refuse = (field: string, message: string) =>
  new Problem('invalid_input', { fields: [{ field, message }], detail: `${field}: ${message}.` });

function requireFitting({ method, challenge, signature }: ClaimRequest & { method?: ClaimKind | undefined }) {
  if (signature === undefined) return;
  if (method !== undefined && method !== 'registry_key')
    throw refuse('signature', 'is for the method registry_key only');
  if (challenge === undefined) throw refuse('challenge', 'is what the signature is over; send it too');
}

/** The way without a choice of the caller: that of the known claim, or else the easiest. */
const chooseKind = async ({ handle }: Listing, ways: readonly ProofPlace[], { store }: Context) =>
  (await store.claims.claim(handle))?.kind ?? ways[0]?.kind;

/**
 * Where a request is checked. Throws listing_withdrawn where a line in another place withdrew the listing, no_repository or
 * host_unsupported where it cannot be claimed, invalid_input where not in the way that was asked for.
 */
export async function requireTarget(
  listing: Listing,
  request: ClaimRequest & { readonly method?: ClaimKind | undefined },
  context: Context,
): Promise<ClaimTarget> {
  requireFitting(request);
  const ways = findWays(listing, context);
  const optOut =
    listing.withdrawn === 'optout' ? await context.store.listings.optOut(listing.handle) : undefined;
  const asked = request.method ?? (request.signature === undefined ? undefined : 'registry_key');
  const kind = asked ?? optOut?.kind ?? (await chooseKind(listing, ways, context));
  if (kind === undefined || kind === 'repository') return toRepositoryTarget(listing, context);
  const target = findTarget(listing, kind, context);
  const others = ways.map((way) => way.kind).join(', ') || 'none';
  if (!target) throw refuse('method', `${kind} cannot work for this listing; those that can: ${others}`);
  if (optOut && optOut.kind !== kind) throw new Problem('listing_withdrawn');
  return target;
}
