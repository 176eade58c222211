import type { Context } from '../../context.ts';
import type { ClaimKind, ProofPlace } from '../../evidence/claim/proof-place.ts';
import { readDns } from './dns.ts';
import type { PlaceCheck } from './place-check.ts';
import { readRegistryKeys } from './registry-key.ts';
import { readRepository } from './repository.ts';
import { readWellKnown } from './well-known.ts';

type Read = (place: ProofPlace, context: Context, handle: string) => Promise<PlaceCheck>;

const reads: Readonly<Record<ClaimKind, Read>> = {
  repository: readRepository,
  profile_repository: readRepository,
  registry_key: readRegistryKeys,
  well_known: readWellKnown,
  dns: readDns,
};

/**
 * Reads the text of a place of a listing: claim lines, and every other line that its owner states there. Never throws: every
 * failure is a result.
 */
export const readPlace = (place: ProofPlace, handle: string, context: Context): Promise<PlaceCheck> =>
  reads[place.kind](place, context, handle);
