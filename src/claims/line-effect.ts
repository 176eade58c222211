import type { Context } from '../context.ts';
import { capabilityHash, createCapability, isCapability } from '../core/keys/capability.ts';
import type { Listing } from '../listings/listing.ts';
import { readCosigners } from './apply.ts';
import { claimKeyRing, createChallenge, readChallenge } from './challenge.ts';
import type { Capability, Claim, ClaimKind, ProofPlace } from './claim.ts';
import { continuationOf, judge, type ReadLine } from './judge.ts';
import { bindingOf, findMethods } from './locations.ts';
import { isAt, isLapsed, isLiving } from './standing.ts';

export const lineEffects = [
  'keeps the claim',
  'keeps the claim after seven days',
  'begins a new claim',
] as const;
export type LineEffect = (typeof lineEffects)[number];

/** The capability of the listing that a request presents, if its challenges continue the claim. */
export async function findPresented({ handle }: Pick<Listing, 'handle'>, { store, caller, clock }: Context) {
  const { capability } = caller;
  if (capability === undefined || !isCapability(capability)) return undefined;
  const row = await store.claims.capability(capabilityHash(capability));
  const continues = row && isLiving(row) && !isLapsed(row, clock());
  return continues && row.handle === handle ? row : undefined;
}

/** By the judgement of a reading that finds the lines of a claim in force and one more, asked for now. */
export async function lineEffect(
  listing: Listing,
  place: ProofPlace,
  { claim, presented, context }: { claim: Claim; presented: Capability | undefined; context: Context },
): Promise<LineEffect> {
  const { handle } = listing;
  const now = context.clock();
  const ring = await claimKeyRing(context);
  const binding = bindingOf({ listing, place }, context);
  const continues = presented && continuationOf(claim, presented);
  const hash = capabilityHash(createCapability());
  const at_s = Math.floor(now.getTime() / 1000);
  const challenge = readChallenge(createChallenge(ring[0], { ...binding, continues }, { hash, at_s }));
  const own = await context.store.claims.capabilities(handle);
  const standing =
    isAt(claim, place) && claim.state === 'claimed' ? own.filter(({ state }) => state === 'active') : [];
  const line: ReadLine = {
    hash,
    issued_at: now.toISOString(),
    root: place.root,
    ...(challenge && { challenge }),
  };
  const verdict = judge([...standing.map((row) => ({ ...line, hash: row.hash })), line], {
    handle,
    listing,
    place,
    pinned: true,
    leaked: new Set(),
    claim,
    known: new Map(own.map((row) => [row.hash, row])),
    cosigners: await readCosigners(context.store, { handle, now }),
    binding,
    ring,
    now,
  });
  const isCounted = verdict.continues && verdict.counted.some((one) => one.hash === hash);
  if (isCounted) return 'keeps the claim';
  return verdict.reasons.get(hash) === 'line_waits'
    ? 'keeps the claim after seven days'
    : 'begins a new claim';
}

/** The methods that can work, each with what a new line does to the claim. */
export async function readWays(listing: Listing, context: Context, by?: Capability) {
  const claim = await context.store.claims.claim(listing.handle);
  const places = findMethods(listing, context);
  if (!claim) return places.map((place) => ({ place, effect: undefined }));
  const presented = by ?? (await findPresented(listing, context));
  return Promise.all(
    places.map(async (place) => ({
      place,
      effect: await lineEffect(listing, place, { claim, presented, context }),
    })),
  );
}

/** If the line is asked for with a capability of the claim, whoever has one. */
export async function readWaysOfHolder(handle: string, context: Context) {
  const [key] = await readCosigners(context.store, { handle, now: context.clock() });
  const listing = await context.store.listings.byHandle(handle);
  return listing ? readWays(listing, context, key) : [];
}

/** The method of the claim, or else the easiest one that keeps it; if none does, the method of the claim. */
export function keepingMethod(ways: Awaited<ReturnType<typeof readWays>>, present: ClaimKind): ClaimKind {
  const keeping = ways.filter(({ effect }) => effect !== 'begins a new claim').map(({ place }) => place.kind);
  return keeping.includes(present) ? present : (keeping[0] ?? present);
}
